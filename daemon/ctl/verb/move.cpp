#include "ctl/daemon/report.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/core.h>

namespace shelfd::ctl {

namespace json = boost::json;

ExitCode run_auth_move_out(const Context& context)
{
    const auto& library = context.command.library;
    if (context.terminal.is_terminal() && !context.command.force) {
        return fail(
            context,
            Error(
                ErrorKind::usage,
                fmt::format("this prints the tokens themselves: redirect them, (umask 077; shelfctl auth move-out {0} "
                            ">{0}.set), or pipe them to the other machine; with --force they are shown here",
                            library)));
    }
    const json::object body{{"library", library}, {"to", context.command.auth.destination}};
    const auto answer = client_of(context).post("/v1/auth/move-out", Secret(json::serialize(body)));
    if (!answer) {
        return fail_without_daemon(context, answer.error());
    }
    if (const auto checked = answer->check(); !checked) {
        return fail(context, checked.error());
    }
    context.terminal.print_exact(answer->body + "\n");
    context.terminal.complain(
        fmt::format("the set of {0} is secret and no longer used here; on the other machine: shelfctl auth move-in {0} "
                    "< FILE, then remove the file; if it does not arrive: shelfctl auth adopt {0}",
                    library));
    return ExitCode::done;
}

ExitCode run_auth_move_in(const Context& context)
{
    const auto& library = context.command.library;
    if (const auto named = check_library_name(library); !named) {
        return fail(context, named.error());
    }
    auto given = context.read_input(
        fmt::format("Paste what move-out printed for {}, then an empty line; it is not shown:\n", library));
    if (!given) {
        return fail(context, given.error());
    }
    return print_report(context, client_of(context).post("/v1/auth/move-in?library=" + library, std::move(*given)));
}

}  // namespace shelfd::ctl
