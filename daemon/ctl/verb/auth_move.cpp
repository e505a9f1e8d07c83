#include "ctl/context/ending_signals.hpp"
#include "ctl/daemon/report.hpp"
#include "ctl/login/import_set.hpp"
#include "ctl/login/known_library.hpp"
#include "ctl/moves/move_all.hpp"
#include "ctl/moves/set_output.hpp"
#include "ctl/verb/verbs.hpp"

#include <fmt/core.h>

namespace shelfd::ctl {

ExitCode run_auth_move_out(const Context& context)
{
    const bool all = context.command.all;
    const auto& library = context.command.library;
    const auto what = all ? std::string("--all") : library;
    if (const auto kept = check_set_output(context, what, all ? "all.sets" : library + ".set"); !kept) {
        return fail(context, kept.error());
    }
    const BrokenPipeAsError as_error;
    if (all) {
        return move_out_all(context);
    }
    auto answer = ask_for_set(context, library);
    if (!answer) {
        return fail_without_daemon(context, answer.error());
    }
    if (const auto checked = answer->check(); !checked) {
        return fail(context, checked.error());
    }
    if (!print_set(context, *answer)) {
        return fail_unprinted(context, library, library);
    }
    context.terminal.complain(
        fmt::format("the set of {0} is secret and no longer used here; on the other machine: shelfctl auth move-in {0} "
                    "< FILE, then remove the file; if it does not arrive: {1} prints it again, shelfctl auth adopt {0} "
                    "takes it back",
                    library, move_out_again(context, library)));
    return ExitCode::done;
}

ExitCode run_auth_move_in(const Context& context)
{
    if (context.command.all) {
        return move_in_all(context);
    }
    const auto& library = context.command.library;
    if (const auto named = check_library_name(library); !named) {
        return fail(context, named.error());
    }
    if (const auto known = context.terminal.can_ask() ? check_known(context) : Result<void>(); !known) {
        return fail(context, known.error());
    }
    const EndingSignals caught;
    auto given = context.read_input(
        fmt::format("Paste what move-out printed for {}, then an empty line; it is not shown:\n", library),
        "no token set was given: paste what move-out printed, or redirect it: < FILE");
    if (!given && was_interrupted()) {
        tell_of_kept_set(context, "move-in");
    }
    if (!given) {
        const auto known = check_known(context);
        return fail(context, known ? given.error() : known.error());
    }
    return print_report(context, client_of(context).post("/v1/auth/move-in?library=" + library, std::move(*given)));
}

}  // namespace shelfd::ctl
