#include "config/check/address.hpp"
#include "config/tree/toml_text.hpp"
#include "ctl/context/ending_signals.hpp"
#include "ctl/daemon/client.hpp"
#include "ctl/daemon/line_stream.hpp"
#include "ctl/login/secret_file.hpp"
#include "ctl/mirror/file.hpp"
#include "ctl/start/block.hpp"
#include "ctl/start/child_daemon.hpp"
#include "ctl/start/exploration.hpp"
#include "ctl/start/start.hpp"
#include "ctl/start/step_context.hpp"
#include "ctl/start/trial_directory.hpp"
#include "ctl/start/trial_report.hpp"
#include "ctl/start/trial_token.hpp"
#include "ctl/verb/verbs.hpp"
#include "http/url.hpp"
#include "storage/filesystem.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include <sstream>

namespace shelfd::ctl {
namespace {

namespace json = boost::json;

constexpr auto library = "try";

struct Target {
    std::string base_url;
    std::string path;
};

// The address and --path; the address may hold the path.
Result<Target> read_target(const Command& command)
{
    SHELFD_TRY_ASSIGN(url, http::parse_url(command.start.url));
    Target target{url.origin.text(), command.inquiry.paths.empty() ? "" : command.inquiry.paths.front()};
    if (const auto origin = config::parse_origin(target.base_url); !origin) {
        return Error(ErrorKind::usage, fmt::format("{} {}", target.base_url, origin.error().text()));
    }
    if (url.path != "/" && target.path.empty()) {
        target.path = url.path;
    }
    if (target.path.empty()) {
        return Error(ErrorKind::usage, fmt::format("name the list to mirror: shelfctl try {} --path "
                                                   "/api/v2/library/recipes/",
                                                   target.base_url));
    }
    if (!url.query.empty() || target.path.find('?') != std::string::npos) {
        return Error(ErrorKind::usage,
                     fmt::format("the path must not contain a query: try {} without it, then write its "
                                 "parameters as params = {{ … }} into the table in the configuration "
                                 "that is printed",
                                 target.path.substr(0, target.path.find('?'))));
    }
    if (const auto route = config::check_route(target.path); !route) {
        return Error(ErrorKind::usage, fmt::format("--path {}", route.error().text()));
    }
    return target;
}

Result<Secret> read_token(const Context& context, const std::string& base_url)
{
    const auto& file = context.command.start.token_file;
    return file.empty() ? context.read_secret(fmt::format("Access token for {} (not shown): ", base_url))
                        : read_secret_file(file);
}

// The daemon speaks of sets; somebody who tries a list has an access token, from whomever.
Error in_words_of_token(const Error& error)
{
    std::string text = error.text();
    for (const auto& [set, token] :
         {std::pair("the set could not be tested", "the token could not be tested"),
          std::pair("the access token in this set does not work", "the access token does not work"),
          std::pair("the set works, but it needs", "the token works, but it needs"),
          std::pair(", so its library is unknown; ask the owner for a new set",
                    "; try again with another access token"),
          std::pair("ask the owner for a new set", "try again with another access token")}) {
        if (const auto at = text.find(set); at != std::string::npos) {
            text.replace(at, std::string_view(set).size(), token);
        }
    }
    return Error(error.kind(), text);
}

// What to type where no key was found.
std::string key_wanted(const std::vector<std::string>& candidates)
{
    const auto unique =
        candidates.empty() ? "" : fmt::format("; members with unique values: {}", fmt::join(candidates, ", "));
    return "no member of the rows is known as a key; try again with --key NAME" + unique;
}

// One trial: a daemon of its own, one list, one table.
class Trial {
public:
    Trial(const Context& context, TrialDirectory directory, Target target)
        : context_(context), directory_(std::move(directory)), target_(std::move(target)),
          steps_(context, directory_.config_file(), directory_.socket(), library), command_(steps_.command())
    {
    }

    ExitCode run(const Secret& token)
    {
        auto code = explore(token);
        if (code == ExitCode::done) {
            code = mirror();
        }
        daemon_.reset();
        if (mirrored_ && !was_interrupted()) {
            forget();
        }
        if (was_interrupted()) {
            context_.terminal.complain(mirrored_ ? "interrupted; the mirror holds complete passes only"
                                                 : "interrupted; nothing was mirrored");
            code = ExitCode::failed;
        }
        if (!mirrored_) {
            return code;
        }
        const TrialResult result{target_.base_url, target_.path, table_, toml(), directory_.path(), requests_, listed_};
        const auto reported = report_trial(context_, command_, result);
        return code == ExitCode::done ? reported : code;
    }

private:
    // Of a daemon that mirrors nothing. `canary_path`: "" = none.
    ExplorationOptions exploring(const std::string& canary_path) const
    {
        ExplorationOptions options;
        options.directory = directory_.hidden();
        options.socket = directory_.socket();
        options.tokens = directory_.tokens();
        options.allow_unsafe = true;
        options.base_url = target_.base_url;
        options.library = library;
        options.application = application();
        options.canary_path = canary_path;
        return options;
    }

    // Reads the list.
    ExitCode explore(const Secret& token)
    {
        Exploration exploration(exploring(target_.path));
        const auto import = [&]() -> Result<void> {
            SHELFD_TRY(exploration.start(context_.environment));
            SHELFD_TRY(exploration.post(fmt::format("/v1/auth/import?library={}&sealing=access_only", library),
                                        token_paste(token)));
            return exploration.forget_canary();
        };
        steps_.say("exploring " + target_.path);
        if (const auto imported = import(); !imported) {
            return fail(context_, in_words_of_token(in_typed_words(imported.error())));
        }
        return find_block();
    }

    ExitCode mirror()
    {
        const auto start = [this]() -> Result<void> {
            SHELFD_TRY(storage::replace_file(directory_.config_file(), toml(), {.mode = 0600}));
            SHELFD_TRY_ASSIGN(program, find_daemon_program(context_.environment));
            const ChildDaemon::Start wanted{program, directory_.config_file(), directory_.log_file()};
            SHELFD_TRY_ASSIGN(daemon, ChildDaemon::start(wanted, context_.environment));
            daemon_ = std::move(daemon);
            return daemon_->await_ready(directory_.socket());
        };
        if (auto started = start(); !started) {
            const auto log = fmt::format(" (its log: {})", directory_.log_file());
            return fail(context_, Error(started.error().kind(), started.error().text() + log));
        }
        mirrored_ = true;
        steps_.say(fmt::format("mirroring {} into the table {}", target_.path, table_));
        Command command = command_;
        command.verb = Verb::sync;
        command.resource = table_;
        return run_sync(steps_.with(command));
    }

    // Takes the block of configuration that probe suggests.
    ExitCode find_block()
    {
        std::string why;
        const auto take = [&](std::string_view event, const JsonReader& list) {
            if (event == "plan") {
                steps_.say(fmt::format("at most {} requests {}", list.count("requests"), list.text("purpose")));
            }
            if (event != "list") {
                return;
            }
            requests_ = list.count("requests");
            listed_ = list.count("count");
            block_ = list.text("toml");
            key_wanted_ = list.flag("needs_key") ? key_wanted(list.texts("key_candidates")) : "";
            if (const auto* lines = list.array("lines");
                !list.flag("readable") && lines != nullptr && !lines->empty()) {
                why = std::string(lines->front().is_string() ? lines->front().get_string().c_str() : "");
            }
        };
        const auto finish = [&](const Result<void>& outcome) {
            if (!outcome) {
                return ExitCode::failed;
            }
            if (block_.empty()) {
                return fail(context_, Error(ErrorKind::refused,
                                            fmt::format("{} could not be read as a list: {}", target_.path, why)));
            }
            if (const auto keyed = set_key(); !keyed) {
                return fail(context_, keyed.error());
            }
            // "[resource.recipes]"
            table_ = block_.substr(0, block_.find(']'));
            table_ = table_.substr(table_.find('.') + 1);
            return ExitCode::done;
        };
        const json::object body{{"library", library}, {"paths", json::array{json::string(target_.path)}}};
        return run_stream(steps_.with(command_), "/v1/probe", body, take, finish);
    }

    // The block's key becomes the one that was named. Without any, not one row could be mirrored.
    Result<void> set_key()
    {
        const auto& key = context_.command.key;
        if (key.empty()) {
            return key_wanted_.empty() ? Result<void>() : Error(ErrorKind::usage, key_wanted_);
        }
        std::string keyed;
        std::istringstream lines(block_);
        for (std::string line; std::getline(lines, line);) {
            keyed += line.starts_with("key = ") || line.starts_with("# key = ") ? "" : line + "\n";
            keyed += line.starts_with("path = ") ? fmt::format("key = {}\n", config::quote(key)) : "";
        }
        block_ = std::move(keyed);
        return {};
    }

    // Overwrites both copies of the access token. The daemon that does it has another mirror: the one that stays
    // describes the list, not how the trial ended.
    void forget()
    {
        const json::object body{{"library", library}};
        Exploration last(exploring(""));
        if (last.start(context_.environment)) {
            (void)last.post("/v1/auth/forget", Secret(json::serialize(body)));
        }
    }

    std::string application() const
    {
        return fmt::format("client_id = \"unused\"  # without a refresh token, no application is needed\n"
                           "client_secret = {{ file = {} }}\n",
                           config::quote(directory_.unused_secret()));
    }

    std::string toml() const
    {
        using config::quote;
        return fmt::format("{}\n"
                           "# The access token is in memory while the command runs, and destroyed at its end.\n\n"
                           "[service]\n"
                           "base_url = {}\n\n"
                           "[storage]\n"
                           "mirrors = {}\n"
                           "tokens = {}\n"
                           "allow_unsafe = true  # such a token is no loss; never for tokens that are refreshed\n\n"
                           "[control]\n"
                           "socket = {}\n\n"
                           "[library.{}]\n"
                           "{}\n"
                           "{}",
                           trial_mark(target_.base_url), quote(target_.base_url), quote(directory_.mirrors()),
                           quote(directory_.tokens()), quote(directory_.socket()), library, application(),
                           without_details(block_));
    }

    const Context& context_;
    TrialDirectory directory_;
    Target target_;
    StepContext steps_;
    Command command_;  // of the steps
    std::unique_ptr<ChildDaemon> daemon_;
    std::string block_;       // of the list, as probe suggests; "" = not explored
    std::string key_wanted_;  // that no key was found, and what to type; "" = it was
    std::string table_;
    std::uint64_t requests_ = 0;
    std::uint64_t listed_ = 0;  // rows of the list, as the service says; 0 = unknown
    bool mirrored_ = false;
};

}  // namespace

ExitCode run_try(const Context& context)
{
    auto target = read_target(context.command);
    if (!target) {
        return fail(context, target.error());
    }
    const EndingSignals caught;  // the private directory is removed in any case
    const auto token = read_token(context, target->base_url);
    if (!token && was_interrupted()) {
        context.terminal.complain("interrupted; nothing was requested from the service, and nothing was written");
    }
    if (!token) {
        return fail(context, token.error());
    }
    auto directory = TrialDirectory::open(context.command.start.directory, target->base_url, context.environment);
    if (!directory) {
        return fail(context, directory.error());
    }
    return Trial(context, std::move(*directory), std::move(*target)).run(*token);
}

}  // namespace shelfd::ctl
