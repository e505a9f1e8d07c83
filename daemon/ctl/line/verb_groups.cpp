#include "ctl/line/verb_groups.hpp"

#include "schedule/windows.hpp"

#include <CLI/App.hpp>
#include <fmt/format.h>

namespace shelfd::ctl {
namespace {

// "" if the text is a window: "2026-01-05", "2026-01-01..2026-01-31", or instants likewise; otherwise the error.
std::string check_window(const std::string& text)
{
    const auto dots = text.find("..");
    const auto is_moment = [](const std::string& moment) {
        return schedule::is_day(moment) || Instant::from_rfc3339(moment).has_value();
    };
    const bool fits = is_moment(text.substr(0, dots)) && (dots == text.npos || is_moment(text.substr(dots + 2)));
    return fits ? ""
                : fmt::format("\"{}\" is not a window: write 2026-01-01..2026-01-31, or instants with their offset",
                              text);
}

void add_state_option(CLI::App& status, Command& command)
{
    const auto check = [](const std::string& text) {
        return parse_table_state(text)
                   ? ""
                   : fmt::format("\"{}\" is not a state: write fresh, late, filling, held, forbidden, "
                                 "needs_person, wrong_library, paused or retired",
                                 text);
    };
    status
        .add_option_function<std::string>(
            "--state", [&command](const std::string& text) { command.status.state = parse_table_state(text); },
            "only tables in this state")
        ->check(check)
        ->type_name("STATE");
}

}  // namespace

void add_look_verbs(VerbAdder& add)
{
    auto& command = add.command();
    auto& status =
        add.verb(Verb::status, "status", "show how fresh the mirrors are, what is wrong, and what to do about it");
    add.library(status, false);
    auto* json = add.json(status, "print everything the daemon knows, as JSON");
    auto* all = status.add_flag("--all", command.all, "add a line for each library and each table");
    status.add_option("--resource", command.resource, "only this table, of every library")->type_name("NAME");
    add_state_option(status, command);
    auto* problem = status
                        .add_option("--problem", command.status.problem,
                                    "everything about one problem: its id, the id of its incident, or a kind of cause")
                        ->type_name("ID")
                        ->excludes(all);
    auto* watch = status.add_flag("--watch", command.status.watch, "show it anew every two seconds, until interrupted");
    auto* check =
        status.add_flag("--nagios", command.status.as_check, "print it as a plugin of Nagios, Icinga and Checkmk does");
    check->excludes(watch)->excludes(problem)->excludes(all)->excludes(json);
    status.add_option("--html", command.status.page, "write a page of HTML to FILE (\"-\": standard output)")
        ->type_name("FILE")
        ->excludes(check)
        ->excludes(problem)
        ->excludes(watch)
        ->excludes(json);

    auto& wait = add.verb(Verb::wait, "wait", "wait until the mirrors are fresh; starts no pass");
    add.library(wait, false);
    wait.add_option("RESOURCE", command.resource, "one table instead of all; tables of details must be named")
        ->type_name("");
    auto* fresh = add.duration(wait, "--fresh", "wait for data at most that old, instead of the state fresh",
                               [&command](Duration value) { command.wait.fresh = value; });
    const auto check_moment = [](const std::string& text) {
        return text == "now" || Instant::from_rfc3339(text)
                   ? ""
                   : fmt::format("\"{}\" is not an instant: write 2026-01-31T14:00:00+01:00, or now", text);
    };
    wait.add_option("--as-of", command.wait.as_of, "wait for data as of that instant (or now) or later")
        ->check(check_moment)
        ->excludes(fresh)
        ->type_name("INSTANT");
    add.duration(wait, "--timeout", "give up after that time (default: 10m); exit 75",
                 [&command](Duration value) { command.timeout = value; });
    add.json(wait, "JSON lines");
}

void add_sync_verbs(VerbAdder& add)
{
    auto& command = add.command();
    auto& sync = add.verb(Verb::sync, "sync", "bring a library, or one of its tables, up to date now");
    auto* library = add.library(sync, false);
    library->description("name of the library");
    sync.add_option("RESOURCE", command.resource, "one table instead of all")->type_name("");
    sync.add_flag("--all", command.sync.all_libraries, "every library that is not paused, at the same time")
        ->excludes(library);
    auto* full = sync.add_flag("--full", command.sync.full, "walk the whole list, whatever the schedule says");
    const auto take_window = [&command](const std::string& text) {
        const auto dots = text.find("..");
        command.sync.window_from = text.substr(0, dots);
        command.sync.window_to = dots == std::string::npos ? command.sync.window_from : text.substr(dots + 2);
    };
    sync.add_option_function<std::string>("--window", take_window,
                                          "of a ledger: walk these days or instants again, both ends included")
        ->check([](const std::string& text) { return check_window(text); })
        ->excludes(full)
        ->type_name("FROM..TO");
    auto* background = sync.add_flag("--background", command.sync.background, "request it and return");
    add.duration(sync, "--if-older", "only tables with data older than that",
                 [&command](Duration value) { command.sync.if_older = value; });
    add.duration(sync, "--timeout", "stop waiting after that time, exit 75; the passes continue",
                 [&command](Duration value) { command.sync.timeout = value; })
        ->excludes(background);
    sync.add_flag("--dry-run", command.sync.dry_run, "only print what would be requested, how often and why");
    add.json(sync, "progress as JSON lines");

    auto& plan =
        add.verb(Verb::plan, "plan", "compare the requests that the schedules need with the limit; needs no daemon");
    add.library(plan, false);
    add.json(plan, "as JSON");
}

void add_inquiries(VerbAdder& add)
{
    auto& command = add.command();
    auto& verify = add.verb(Verb::verify, "verify", "compare rows, value by value, with the service as it is now");
    add.library(verify, true);
    verify.add_option("RESOURCE", command.resource, "the table")->required()->type_name("");
    auto* keys = verify.add_option("KEY", command.keys, "keys of the rows")->type_name("");
    verify.add_option("--sample", command.inquiry.sample, "compare this many random rows, one request each")
        ->check(CLI::Range(1, 10'000))
        ->excludes(keys)
        ->type_name("N");
    add.json(verify, "JSON lines");

    auto& get = add.verb(Verb::get, "get", "request one address of the service, with the library's token");
    add.library(get, true);
    get.add_option("PATH", command.inquiry.paths, "begins with /; may contain a query")
        ->required()
        ->expected(1)
        ->type_name("");
    auto* raw = get.add_flag("--raw", command.inquiry.raw, "print the answer as received, not indented");
    add.json(get, "one object: status, headers and body")->excludes(raw);

    auto& probe = add.verb(Verb::probe, "probe", "find the lists of the service, or explore lists");
    add.library(probe, true);
    auto* paths =
        probe.add_option("PATH", command.inquiry.paths, "explore this list, with about ten requests; begins with /")
            ->type_name("");
    auto* all = probe.add_flag("--all", command.all, "find the lists, and explore each of them")->excludes(paths);
    probe.add_flag("--configured", command.inquiry.configured, "explore the configured lists")
        ->excludes(paths)
        ->excludes(all);
    add.json(probe, "JSON lines");
}

void add_config(VerbAdder& add)
{
    auto& command = add.command();
    auto* config = add.group("config", "show or check the configuration; needs no daemon");
    config->require_subcommand(1)->fallthrough();
    auto& check = add.verb(*config, Verb::config_check, "check", "report every fault with file, line and column");
    add.json(check, "as JSON");
    auto& show =
        add.verb(*config, Verb::config_show, "show", "print the effective configuration, secrets as references");
    show.add_flag("--origin", command.print.origin, "add where each value was written");
    show.add_option("--library", command.library, "only this library, with all that it inherits")->type_name("NAME");
    add.json(show, "as JSON instead of TOML");
}

void add_rest(VerbAdder& add)
{
    auto& command = add.command();
    auto* help = add.group("help", "print the usage of a verb, or the list of verbs");
    help->add_option("VERB", command.help.verb, "a verb, or its first word")->type_name("");
    help->add_option("WORD", command.help.word, "its second word: auth import")->type_name("");
    add.json(*help, "as JSON: the usage, and each verb with its arguments and options");
    auto& reload = add.verb(Verb::reload, "reload", "make the daemon reload its configuration, all or nothing");
    reload.add_flag("--dry-run", command.sync.dry_run, "only print what would change, and what it costs in requests");
    add.json(reload, "as JSON");
    auto& completion = add.verb(Verb::completion, "completion", "print the completion of a shell");
    completion
        .add_option("SHELL", command.help.shell, "bash, zsh or fish; libraries, or tables of LIB: the known names")
        ->required()
        ->type_name("")
        ->check(CLI::IsMember({"bash", "zsh", "fish", "libraries", "tables"}));
    completion.add_option("LIB", command.library, "with tables: name of the library")->type_name("");
    add.json(completion, "as JSON: the script, or the names");
    add.json(add.verb(Verb::version, "version", "print the version"), "as JSON");
}

}  // namespace shelfd::ctl
