#include "ctl/setup/first_setup.hpp"
#include "ctl/setup/installation.hpp"
#include "ctl/setup/questions.hpp"
#include "ctl/setup/setup.hpp"

#include <utility>

#include <unistd.h>

namespace shelfd::ctl {

ExitCode run_init(const Context& context)
{
    const auto places = find_installation(context.command, context.environment, ::geteuid() == 0);
    if (!places) {
        return fail(context, places.error());
    }
    // Before anybody types anything.
    if (const auto vacant = check_vacant(*places, {places->lists_file()}); !vacant) {
        return fail(context, vacant.error());
    }
    if (const auto usable = check_usable(*places); !usable) {
        return fail(context, usable.error());
    }
    auto plan = ask_for_plan(context);
    if (!plan) {
        return fail(context, plan.error());
    }
    FirstSetup setup(context, std::move(*plan), *places);
    return setup.run();
}

}  // namespace shelfd::ctl
