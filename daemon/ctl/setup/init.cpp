#include "ctl/setup/first_setup.hpp"
#include "ctl/setup/questions.hpp"
#include "ctl/setup/setup.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include <unistd.h>

namespace shelfd::ctl {

ExitCode run_init(const Context& context)
{
    const auto places = find_installation(context.command, context.environment, ::geteuid() == 0);
    if (!places) {
        return fail(context, places.error());
    }
    std::error_code hidden;
    if (std::filesystem::exists(places->config_file, hidden)) {
        return fail(context, Error(ErrorKind::usage,
                                   fmt::format("{} is there already: init writes the first configuration only. To find "
                                               "more lists: shelfctl probe LIB. To begin again, move it away",
                                               places->config_file)));
    }
    auto plan = ask_for_plan(context);
    if (!plan) {
        return fail(context, plan.error());
    }
    FirstSetup setup(context, std::move(*plan), *places);
    return setup.run();
}

}  // namespace shelfd::ctl
