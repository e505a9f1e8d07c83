#include "ctl/line/grammar.hpp"

#include "schedule/windows.hpp"

#include "base/version.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <fmt/format.h>

#include <functional>

namespace shelfd::ctl {
namespace {

constexpr auto examples = R"(
Examples:
  shelfctl status
  shelfctl auth import antwerp < token.json
  shelfctl sync antwerp recipes
  shelfctl wait --fresh 15m --timeout 10m
  shelfctl sql antwerp "SELECT resource, state, as_of FROM freshness"

Exit: 0 done, 1 failed or late, 2 somebody has to act, 3 no daemon, 4 changes are missing, 64 bad command line,
74 what it prints cannot be written, 75 try again later, 77 not allowed, 78 faults in the configuration.
Manual: shelfctl(1), shelfd.toml(5).)";

}  // namespace

Grammar::~Grammar() = default;

Grammar::Grammar(Command& command)
    : command_(command),
      app_(std::make_unique<CLI::App>("Look after shelfd, which keeps SQLite mirrors of libraries behind a web API.",
                                      "shelfctl"))
{
    app_->require_subcommand(1);
    app_->set_help_flag("-h,--help", "print this help and exit");
    app_->footer("\nEvery verb takes --config FILE, --socket PATH and --no-color, too. Manual: shelfctl(1).");
    app_->option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    app_->set_version_flag("--version", fmt::format("shelfctl {}", version), "print the version and exit");
    app_->add_option("--config", command_.config_file, "configuration file (/etc/shelfd/shelfd.toml)")
        ->type_name("FILE");
    app_->add_option("--socket", command_.socket, "control socket ($SHELFD_SOCKET, else as configured)")
        ->type_name("PATH");
    app_->add_flag("--no-color", command_.no_color, "no colours, as with NO_COLOR set");
    add_look_verbs();
    add_sync_verbs();
    add_sql();
    add_mirror_verbs();
    add_inquiries();
    add_auth();
    add_alerts();
    add_config();
    add_rest();
    app_->footer(examples);  // the verbs have inherited the short one
}

CLI::App& Grammar::verb(CLI::App& parent, Verb which, const std::string& name, const std::string& meaning)
{
    auto* app = parent.add_subcommand(name, meaning);
    app->fallthrough();
    app->callback([this, which] { command_.verb = which; });
    return *app;
}

void Grammar::library(CLI::App& app, bool required)
{
    app.add_option("LIB", command_.library, required ? "name of the library" : "one library instead of all")
        ->required(required)
        ->type_name("");
}

void Grammar::json(CLI::App& app, const std::string& meaning)
{
    app.add_flag_callback(
        "--json", [this] { command_.output = Output::json; }, meaning);
}

void Grammar::duration(CLI::App& app, const std::string& name, const std::string& meaning,
                       const std::function<void(Duration)>& take)
{
    const auto check = [](const std::string& text) {
        return parse_duration(text) ? "" : fmt::format("\"{}\" is no duration: write 90s, 15m, 1h30m or 2d", text);
    };
    const auto assign = [take](const std::string& text) {
        if (const auto duration = parse_duration(text)) {
            take(*duration);
        }
    };
    app.add_option_function<std::string>(name, assign, meaning)->check(check)->type_name("TIME");
}

void Grammar::add_look_verbs()
{
    auto& status = verb(*app_, Verb::status, "status", "how fresh the mirrors are, what is wrong, what to do about it");
    library(status, false);
    json(status, "everything the daemon knows, as JSON");
    status.add_flag("--all", command_.all, "a line for each table, too");
    status.add_flag("--watch", command_.watch, "again every two seconds, until interrupted");

    auto& wait = verb(*app_, Verb::wait, "wait", "wait until the mirrors are fresh; starts nothing");
    library(wait, false);
    wait.add_option("RESOURCE", command_.resource, "one table instead of all; those of details only so")->type_name("");
    duration(wait, "--fresh", "as of at most that long ago, instead of the state fresh",
             [this](Duration value) { command_.fresh = value; });
    duration(wait, "--timeout", "give up after that time (10m); exit 75",
             [this](Duration value) { command_.timeout = value; });
}

namespace {

// "" when it is one: "2026-01-05", "2026-01-01..2026-01-31", instants likewise.
std::string check_window(const std::string& text)
{
    const auto dots = text.find("..");
    const auto is_moment = [](const std::string& moment) {
        return schedule::is_day(moment) || Instant::from_rfc3339(moment).has_value();
    };
    const bool fits = is_moment(text.substr(0, dots)) && (dots == text.npos || is_moment(text.substr(dots + 2)));
    return fits ? ""
                : fmt::format("\"{}\" is no window: write 2026-01-01..2026-01-31, or instants with their offset", text);
}

}  // namespace

void Grammar::add_sync_verbs()
{
    auto& sync = verb(*app_, Verb::sync, "sync", "bring a library, or one table of it, up to date now");
    library(sync, true);
    sync.add_option("RESOURCE", command_.resource, "one table instead of all")->type_name("");
    auto* full = sync.add_flag("--full", command_.full, "a full pass, whatever the schedule would do");
    const auto take_window = [this](const std::string& text) {
        const auto dots = text.find("..");
        command_.window_from = text.substr(0, dots);
        command_.window_to = dots == std::string::npos ? command_.window_from : text.substr(dots + 2);
    };
    sync.add_option_function<std::string>("--window", take_window,
                                          "of a ledger: walk these days, or instants, again; both ends included")
        ->check([](const std::string& text) { return check_window(text); })
        ->excludes(full)
        ->type_name("FROM..TO");
    sync.add_flag("--background", command_.background, "ask for it and return");
    duration(sync, "--if-older", "only tables as of longer ago than that",
             [this](Duration value) { command_.if_older = value; });
    sync.add_flag("--dry-run", command_.dry_run, "only say what would be asked, how often and why");
    json(sync, "progress as JSON lines");

    auto& plan =
        verb(*app_, Verb::plan, "plan", "what the schedules cost in requests against the limit; needs no daemon");
    library(plan, false);
    json(plan, "as JSON");
}

void Grammar::add_sql()
{
    auto& sql = verb(*app_, Verb::sql, "sql", "ask a mirror; read-only, needs no daemon");
    library(sql, true);
    sql.add_option("SQL", command_.sql, "one statement; - reads it from standard input")->required()->type_name("");
    auto* csv = sql.add_flag_callback(
        "--csv", [this] { command_.output = Output::csv; }, "comma-separated, with a header");
    sql.add_flag_callback(
           "--json", [this] { command_.output = Output::json; }, "an array of objects")
        ->excludes(csv);
}

void Grammar::add_alerts()
{
    auto* hooks = app_->add_subcommand("hooks", "who is told when something is wrong");
    hooks->require_subcommand(1)->fallthrough();
    json(verb(*hooks, Verb::hooks_list, "list", "hooks, what waits for them, incidents and silences"), "as JSON");
    auto& test = verb(*hooks, Verb::hooks_test, "test", "call a hook now, to see whether it arrives");
    test.add_option("NAME", command_.hook, "of [hooks.NAME]")->required()->type_name("");

    auto& silence = verb(*app_, Verb::silence, "silence", "announce no trouble of a library for a while");
    silence.add_option("LIB", command_.library, "name of the library; * = all of them")->required()->type_name("");
    const auto check = [](const std::string& text) {
        return text == "off" || parse_duration(text)
                   ? ""
                   : fmt::format("\"{}\" is no duration: write 2h, 30m, 1d, or off to end the silence", text);
    };
    const auto take = [this](const std::string& text) { command_.silence = parse_duration(text); };
    silence.add_option_function<std::string>("TIME", take, "for how long, like 2h; off ends it")
        ->required()
        ->check(check)
        ->type_name("");
    json(silence, "as JSON");
}

void Grammar::add_config()
{
    auto* config = app_->add_subcommand("config", "the configuration; needs no daemon");
    config->require_subcommand(1)->fallthrough();
    verb(*config, Verb::config_check, "check", "say everything that is wrong in it, with file, line and column");
    auto& show = verb(*config, Verb::config_show, "show", "print what is in effect, secrets as references");
    show.add_flag("--origin", command_.origin, "and where each value was written");
}

void Grammar::add_rest()
{
    verb(*app_, Verb::reload, "reload", "make the daemon read its configuration again, all or nothing");
    auto& completion = verb(*app_, Verb::completion, "completion", "print the completion of a shell");
    completion.add_option("SHELL", command_.shell, "bash, zsh or fish")
        ->required()
        ->type_name("")
        ->check(CLI::IsMember({"bash", "zsh", "fish"}));
    verb(*app_, Verb::version, "version", "print the version");
}

}  // namespace shelfd::ctl
