#include "ctl/line/completion.hpp"
#include "ctl/context/places.hpp"
#include "ctl/daemon/client.hpp"
#include "ctl/mirror/file.hpp"
#include "ctl/status/status_view.hpp"
#include "ctl/verb/verbs.hpp"
#include "storage/query.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace shelfd::ctl {
namespace {

std::vector<std::string> libraries_of_daemon(const Context& context)
{
    std::vector<std::string> names;
    const auto answer = client_of(context).get("/v1/status");
    const auto status = answer && answer->check() ? read_status(answer->body)
                                                  : Result<StatusView>(Error(ErrorKind::not_found, "no status"));
    for (std::size_t i = 0; status && i < status->libraries.size(); ++i) {
        names.push_back(status->libraries[i].name);
    }
    return names;
}

std::vector<std::string> tables_in_mirror(const Context& context)
{
    auto database = open_mirror(context);
    auto names = database ? storage::read_texts(*database, "SELECT resource FROM _resources WHERE NOT retired "
                                                           "ORDER BY resource")
                          : Result<std::vector<std::string>>(database.error());
    return names ? std::move(*names) : std::vector<std::string>();
}

void print_json(const Context& context, const boost::json::object& answer)
{
    context.terminal.print_json(boost::json::serialize(answer) + "\n");
}

// A shell asks with each press of a key, so nothing is an error.
void print_names(const Context& context)
{
    const auto& command = context.command;
    auto names = command.help.shell == "tables" ? tables_in_mirror(context)
                                                : known_mirrors(find_places(command, context.environment).mirrors);
    if (names.empty() && command.help.shell == "libraries") {
        names = libraries_of_daemon(context);
    }
    if (command.output == Output::json) {
        print_json(context, {{command.help.shell, boost::json::array(names.begin(), names.end())}});
        return;
    }
    for (const auto& name : names) {
        context.terminal.print(name + "\n");
    }
}

}  // namespace

ExitCode run_completion(const Context& context)
{
    const auto verbs = known_verbs();
    const auto& shell = context.command.help.shell;
    if (shell == "libraries" || shell == "tables") {
        print_names(context);
        return ExitCode::done;
    }
    const auto script = shell == "bash"  ? bash_completion(verbs)
                        : shell == "zsh" ? zsh_completion(verbs)
                                         : fish_completion(verbs);
    if (context.command.output == Output::json) {
        print_json(context, {{"shell", shell}, {"script", script}});
        return ExitCode::done;
    }
    context.terminal.print_exact(script);
    return ExitCode::done;
}

}  // namespace shelfd::ctl
