#include "base/words/safe_text.hpp"
#include "ctl/context/interruption.hpp"
#include "ctl/daemon/client.hpp"
#include "ctl/daemon/daemon_log.hpp"
#include "ctl/daemon/json_reader.hpp"
#include "ctl/mirror/file.hpp"
#include "ctl/mirror/library_history.hpp"
#include "ctl/mirror/mirror_format.hpp"
#include "ctl/status/status_view.hpp"
#include "ctl/verb/verbs.hpp"
#include "storage/query.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

namespace shelfd::ctl {
namespace {

namespace json = boost::json;

constexpr std::uint64_t default_events = 50;
constexpr Duration poll_interval = std::chrono::seconds(2);
// An event may reach the mirror, or the journal, some time after its instant.
constexpr Duration arrives_late = std::chrono::minutes(2);

void add_daemon(const StatusView& status, const std::string& library, std::vector<Event>& events)
{
    if (status.started != Instant()) {
        events.push_back({status.started, "daemon", "", "the daemon started, version " + status.version, "", false});
    }
    if (status.config_loaded > status.started) {
        events.push_back({status.config_loaded, "daemon", "", "the daemon loaded its configuration", "", false});
    }
    const auto found = std::find_if(status.libraries.begin(), status.libraries.end(),
                                    [&](const auto& one) { return one.name == library; });
    if (found == status.libraries.end()) {
        return;
    }
    const auto& token = found->token;
    if (token.last_refresh) {
        events.push_back({*token.last_refresh, "token", "",
                          fmt::format("the token set in use was issued, generation {}", token.generation), "", false});
    }
    if (token.since && token.state != TokenState::good) {
        events.push_back({*token.since, "token", "",
                          token.reason.empty() ? std::string(to_string(token.state))
                                               : fmt::format("{}: {}", to_string(token.state), token.reason),
                          "", false});
    }
    if (found->bug) {
        events.push_back(
            {found->bug->since, "daemon", "", "a bug stopped the library: " + found->bug->what, "", false});
    }
    if (found->wal_pinned_since) {
        events.push_back(
            {*found->wal_pinned_since, "daemon", "", "a reader keeps the WAL from being emptied", "", false});
    }
    if (found->snapshot.made_at) {
        events.push_back({*found->snapshot.made_at, "daemon", "", "a snapshot was written", "", false});
    }
    if (found->snapshot.since) {
        events.push_back(
            {*found->snapshot.since, "daemon", "", "no snapshot is written: " + found->snapshot.trouble, "", false});
    }
}

void add_incidents(const std::string& body, const std::string& library, std::vector<Event>& events)
{
    boost::system::error_code broken;
    const auto document = json::parse(body, broken);
    const auto* object = broken ? nullptr : document.if_object();
    const auto* incidents = object != nullptr ? JsonReader(*object).array("incidents") : nullptr;
    if (incidents == nullptr) {
        return;
    }
    for (const auto& one : *incidents) {
        const auto* entry = one.if_object();
        if (entry == nullptr) {
            continue;
        }
        const JsonReader incident(*entry);
        const auto libraries = incident.texts("libraries");
        const bool concerns = std::find(libraries.begin(), libraries.end(), library) != libraries.end();
        if (const auto since = incident.instant("since"); since && concerns) {
            events.push_back(
                {*since, "incident", "",
                 fmt::format("{} {}: {}{}", incident.text("severity"), incident.text("id"), incident.text("title"),
                             incident.text("why").empty() ? "" : ": " + incident.text("why")),
                 "", false});
        }
    }
}

// Lines about a pass are in the mirror, too.
void add_log(const std::vector<LogLine>& lines, std::vector<Event>& events)
{
    std::set<std::string> passes;
    for (const auto& event : events) {
        passes.insert(event.run_id);
    }
    passes.erase("");
    for (const auto& line : lines) {
        constexpr int warning = 4;
        constexpr int error = 3;
        if (!passes.contains(line.run_id)) {
            const auto* severity = line.priority <= error ? "error: " : line.priority == warning ? "warning: " : "";
            events.push_back({line.at, "log", line.resource, severity + line.text, line.run_id, false});
        }
    }
}

class Log {
public:
    explicit Log(const Context& context) : context_(context) {}

    Result<std::vector<Event>> gather(Instant since) const
    {
        const auto& library = context_.command.library;
        SHELFD_TRY_ASSIGN(mirror, open_mirror(context_));
        SHELFD_TRY_ASSIGN(events, read_history(mirror, since));
        auto client = client_of(context_);
        if (const auto answer = client.get("/v1/status"); answer && answer->check()) {
            if (const auto status = read_status(answer->body)) {
                add_daemon(*status, library, events);
                const auto alerts = client.get("/v1/alerts");
                add_incidents(alerts && alerts->check() ? alerts->body : "", library, events);
            }
        }
        LogQuery query;
        query.library = library;
        query.since = since;
        if (const auto lines = read_daemon_log(query)) {
            add_log(*lines, events);
        }
        const auto& resource = context_.command.resource;
        std::erase_if(events, [&](const Event& event) {
            const bool concerns = resource.empty() || event.resource == resource;
            return event.at <= since || !concerns || (event.quiet && !context_.command.all);
        });
        sort_by_time(events);
        return std::move(events);
    }

    void remember(const Event& event) { seen_.insert(key_of(event)); }
    void print(const Event& event)
    {
        remember(event);
        const auto at = event.at.to_short_text();
        if (context_.command.output == Output::json) {
            const auto asker = event.asked_by.empty() ? "" : R"("asked_by":)" + json_string(event.asked_by) + ",";
            context_.terminal.print_json(fmt::format(R"({{"at":{},"kind":{},"resource":{},"run_id":{},{}"text":{}}})"
                                                     "\n",
                                                     json_string(event.at.to_text()), json_string(event.kind),
                                                     json_string(event.resource), json_string(event.run_id), asker,
                                                     json_string(event.text)));
            return;
        }
        const auto asker = event.asked_by.empty() ? "" : "; asked for by " + event.asked_by;
        context_.terminal.print(fmt::format("{}  {:8}  {}{}\n", at, event.kind,
                                            event.resource.empty() ? "" : event.resource + ": ",
                                            escape_line(event.text + asker)));
    }

    bool is_new(const Event& event) const { return !seen_.contains(key_of(event)); }

private:
    using Key = std::tuple<Instant, std::string, std::string, std::string>;
    static Key key_of(const Event& event) { return {event.at, event.kind, event.resource, event.text}; }

    const Context& context_;
    std::set<Key> seen_;
};

// Fails for a table that the mirror does not have.
Result<void> check_table(const Context& context)
{
    const auto& resource = context.command.resource;
    if (resource.empty()) {
        return {};
    }
    SHELFD_TRY_ASSIGN(mirror, open_mirror(context));
    SHELFD_TRY_ASSIGN(known, storage::read_texts(mirror, "SELECT resource FROM _resources ORDER BY resource"));
    return std::find(known.begin(), known.end(), resource) != known.end()
               ? Result<void>()
               : with_list(no_table(resource, known), context.command.library);
}

ExitCode follow(const Context& context, Log& log)
{
    Interruption interruption;
    while (interruption.wait(context.clock, poll_interval)) {
        const auto gathered = log.gather(context.clock.now() - arrives_late);
        if (!gathered) {
            return fail(context, gathered.error());
        }
        for (const auto& event : *gathered) {
            if (log.is_new(event)) {
                log.print(event);
            }
        }
    }
    return ExitCode::done;
}

}  // namespace

ExitCode run_log(const Context& context)
{
    const auto& command = context.command;
    if (const auto checked = check_table(context); !checked) {
        return fail(context, checked.error());
    }
    const auto since = command.care.since ? context.clock.now() - *command.care.since : Instant();
    Log log(context);
    const auto gathered = log.gather(since);
    if (!gathered) {
        return fail(context, gathered.error());
    }
    const auto& events = *gathered;
    const auto most = command.care.events ? *command.care.events : command.care.since ? events.size() : default_events;
    const auto skipped = events.size() > most ? events.size() - most : 0;
    if (skipped > 0 && command.output == Output::text) {
        context.terminal.print(fmt::format("({} earlier events; --since TIME or -n N shows more)\n", skipped));
    }
    for (std::size_t i = 0; i < events.size(); ++i) {
        i < skipped ? log.remember(events[i]) : log.print(events[i]);
    }
    if (command.output == Output::text && events.empty()) {
        context.terminal.print("no event; --all also shows passes that changed nothing\n");
    }
    return command.read.follow ? follow(context, log) : ExitCode::done;
}

}  // namespace shelfd::ctl
