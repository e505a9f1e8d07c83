#include "ctl/moves/set_output.hpp"

#include "base/words/shell_word.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

namespace shelfd::ctl {
namespace {

namespace json = boost::json;

}  // namespace

std::string move_out_again(const Context& context, const std::string& what)
{
    const auto& where = context.command.auth.destination;
    return fmt::format("shelfctl auth move-out {}{}", what, where.empty() ? "" : " --to " + shell_word(where));
}

Result<void> check_set_output(const Context& context, const std::string& what, const std::string& file)
{
    if (context.terminal.is_terminal() && !context.command.force) {
        return Error(ErrorKind::usage,
                     fmt::format("this prints the tokens: write them to a file, (umask 077; shelfctl auth move-out {} "
                                 ">{}), or pipe them to the other machine; to show them on this terminal: --force",
                                 what, file));
    }
    if (const auto kept = context.terminal.check_output(); !kept) {
        return Error(kept.error().kind(), kept.error().text() + "; no set was moved");
    }
    return {};
}

Result<DaemonClient::Answer> ask_for_set(const Context& context, const std::string& library)
{
    const json::object body{{"library", library}, {"to", context.command.auth.destination}};
    return client_of(context).post("/v1/auth/move-out", Secret(json::serialize(body)));
}

bool print_set(const Context& context, DaemonClient::Answer& answer)
{
    context.terminal.print_exact(answer.body);
    context.terminal.print_exact("\n");
    Secret::wipe(answer.body);
    return context.terminal.is_intact();
}

ExitCode fail_unprinted(const Context& context, const std::string& library, const std::string& what)
{
    return fail(context, Error(ErrorKind::storage,
                               fmt::format("cannot write to standard output (disk full, or nobody reads it): the set "
                                           "of {0} is marked as moved, and perhaps was not printed. It is not lost: "
                                           "{1} prints it again, shelfctl auth adopt {0} takes it back",
                                           library, move_out_again(context, what))));
}

}  // namespace shelfd::ctl
