// The verbs about hooks, silences and metrics.
#include "ctl/line/verb_groups.hpp"

#include <CLI/App.hpp>
#include <fmt/format.h>

namespace shelfd::ctl {

void add_alerts(VerbAdder& add)
{
    auto& command = add.command();
    auto* hooks = add.group("hooks", "programs and addresses that are called when something is wrong");
    hooks->require_subcommand(1)->fallthrough();
    add.json(add.verb(*hooks, Verb::hooks_list, "list", "hooks, their waiting calls, open incidents and silences"),
             "as JSON");
    auto& test = add.verb(*hooks, Verb::hooks_test, "test", "call a hook now and wait for the outcome");
    test.add_option("NAME", command.alerts.hook, "name of a hook, as in [hooks.NAME]")->required()->type_name("");
    add.json(test, "as JSON");

    auto& silence = add.verb(Verb::silence, "silence", "announce no problem of a library for a while");
    silence.add_option("LIB", command.library, "name of the library; * = all of them")->required()->type_name("");
    const auto check = [](const std::string& text) {
        return text == "off" || parse_duration(text)
                   ? ""
                   : fmt::format("\"{}\" is not a duration: write 2h, 30m, 1d, or off to end the silence", text);
    };
    const auto take = [&command](const std::string& text) { command.alerts.silence = parse_duration(text); };
    silence.add_option_function<std::string>("TIME", take, "for how long, like 2h; off ends it")
        ->required()
        ->check(check)
        ->type_name("");
    add.json(silence, "as JSON");

    auto& metrics = add.verb(Verb::metrics, "metrics", "print the daemon's metrics in Prometheus' text format");
    metrics.add_option("LIB", command.library, "a library of which every series is printed")->type_name("");
    metrics.add_flag("--all", command.all, "print every series of all libraries");
    auto* file =
        metrics.add_option("--textfile", command.print.textfile, "replace this file instead, for node_exporter");
    file->type_name("FILE");
    add.json(metrics, "as JSON");
    metrics.get_option("--json")->excludes(file);
}

}  // namespace shelfd::ctl
