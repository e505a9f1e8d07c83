#include "control/api/reply_json.hpp"

#include "control/api/problem_json.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

namespace shelfd::control {
namespace {

namespace json = boost::json;

json::value instant(const std::optional<Instant>& at)
{
    return at ? json::value(at->to_text()) : json::value(nullptr);
}

json::value seconds(const std::optional<Duration>& duration)
{
    return duration ? json::value(std::chrono::duration<double>(*duration).count()) : json::value(nullptr);
}

// 0 means "not known yet" in the values; JSON has null.
json::value known(std::uint64_t number)
{
    return number > 0 ? json::value(number) : json::value(nullptr);
}

json::object histogram_json(const Histogram& histogram)
{
    json::array classes;
    for (const auto& one : histogram.classes) {
        classes.push_back(json::object{{"up_to_seconds", seconds(one.bound)}, {"count", one.count}});
    }
    return {{"count", histogram.count}, {"sum_seconds", seconds(histogram.sum)}, {"classes", std::move(classes)}};
}

json::object token_json(const TokenStatus& token)
{
    json::object facts;
    for (const auto& fact : token.facts) {
        facts[fact.name] = fact.value;
    }
    json::object refreshes;
    for (const auto& count : token.refreshes) {
        refreshes[count.outcome] = count.count;
    }
    return {{"state", to_string(token.state)},
            {"needs_person", token.needs_person},
            {"access_usable", token.access_usable},
            {"generation", token.generation},
            {"since", instant(token.since)},
            {"expires_at", instant(token.expires_at)},
            {"last_refresh", instant(token.last_refresh)},
            {"next_refresh", instant(token.next_refresh)},
            {"deadline", instant(token.deadline)},
            {"reason", token.reason},
            {"do_this", token.do_this},
            {"next", token.next},
            {"journal_copies", token.journal_copies},
            {"kind", token.kind ? json::value(to_string(*token.kind)) : json::value(nullptr)},
            {"facts", std::move(facts)},
            {"refreshes", std::move(refreshes)},
            {"refresh_attempts", token.refresh_attempts},
            {"answer_to_durable", histogram_json(token.answer_to_durable)},
            {"last_byte_to_durable_seconds", seconds(token.last_byte_to_durable)}};
}

json::object budget_json(const BudgetStatus& budget)
{
    return {{"group", budget.group},
            {"limit", budget.limit ? json::value(*budget.limit) : json::value(nullptr)},
            {"configured", budget.configured ? json::value(*budget.configured) : json::value(nullptr)},
            {"narrowed_by", budget.narrowed_by},
            {"used", budget.used},
            {"in_flight", budget.in_flight},
            {"waiting", budget.waiting},
            {"requests", budget.requests},
            {"paused_until", instant(budget.paused_until)},
            {"foreign", budget.foreign},
            {"user", budget.user},
            {"libraries", json::array(budget.libraries.begin(), budget.libraries.end())}};
}

json::object running_json(const Running& running)
{
    return {{"started", instant(running.started)},
            {"phase", to_string(running.phase)},
            {"page", known(running.page)},
            {"pages", known(running.pages)},
            {"rows", running.rows},
            {"count", known(running.count)},
            {"rows_per_second", running.rows_per_second > 0 ? json::value(running.rows_per_second) : nullptr},
            {"eta_seconds", seconds(running.eta)},
            {"note", running.note},
            {"waits_for_limit_since", instant(running.waits_for_limit_since)},
            {"limit", running.limit},
            {"next_request_at", instant(running.next_request_at)},
            {"list", known(running.list)},
            {"lists", known(running.lists)}};
}

json::object run_json(const RunReport& run)
{
    return {{"run_id", run.run_id},
            {"mode", run.mode},
            {"started", instant(run.started)},
            {"finished", instant(run.finished)},
            {"result", to_string(run.result)},
            {"error", run.error},
            {"proven", run.proven},
            {"requests", run.requests},
            {"pages", run.pages},
            {"rows", run.rows},
            {"added", run.added},
            {"changed", run.changed},
            {"deleted", run.deleted}};
}

json::value detail_json(const std::optional<DetailStatus>& detail)
{
    if (!detail) {
        return nullptr;
    }
    return json::object{{"share", detail->share},
                        {"pending", detail->pending},
                        {"gone", detail->gone},
                        {"oldest", instant(detail->oldest)}};
}

json::object plan_json(const PlannedPass& plan)
{
    return {{"mode", plan.mode},
            {"why", plan.why},
            {"target", plan.target},
            {"tries_filter", plan.tries_filter},
            {"asks_identity", plan.asks_identity},
            {"requests", plan.requests ? json::value(*plan.requests) : json::value(nullptr)}};
}

json::object resource_json(const ResourceStatus& resource)
{
    return {
        {"name", resource.name},
        {"state", to_string(resource.state)},
        {"why", resource.why},
        {"do_this", resource.do_this},
        {"trouble", to_string(resource.trouble)},
        {"since", instant(resource.since)},
        {"rows", resource.rows},
        {"held", resource.held},
        {"as_of", instant(resource.as_of)},
        {"proven_as_of", instant(resource.proven_as_of)},
        {"complete_from", instant(resource.complete_from)},
        {"complete_to", instant(resource.complete_to)},
        {"late_at", instant(resource.late_at)},
        {"next_due", instant(resource.next_due)},
        {"quiet_until", instant(resource.quiet_until)},
        {"missing_scope", resource.missing_scope.empty() ? json::value(nullptr) : json::value(resource.missing_scope)},
        {"running", resource.running ? json::value(running_json(*resource.running)) : json::value(nullptr)},
        {"last_run", resource.last_run ? json::value(run_json(*resource.last_run)) : json::value(nullptr)},
        {"detail", detail_json(resource.detail)},
        {"filter_trouble", resource.filter ? json::value(resource.filter->why) : json::value(nullptr)},
        {"passes", resource.passes},
        {"passes_failed", resource.passes_failed},
        {"requests", resource.requests}};
}

json::array requests_json(const std::vector<RequestCount>& counts)
{
    json::array requests;
    for (const auto& one : counts) {
        requests.push_back(
            json::object{{"resource", one.resource.empty() ? json::value(nullptr) : json::value(one.resource)},
                         {"reason", one.reason},
                         {"count", one.count}});
    }
    return requests;
}

json::object snapshot_json(const SnapshotStatus& snapshot)
{
    return {{"made_at", instant(snapshot.made_at)}, {"trouble", snapshot.trouble}, {"since", instant(snapshot.since)}};
}

json::array consumers_json(const std::vector<FeedConsumer>& consumers)
{
    json::array found;
    for (const auto& one : consumers) {
        found.push_back(json::object{{"name", one.name},
                                     {"position", one.position},
                                     {"waiting", one.waiting},
                                     {"waiting_since", instant(one.waiting_since)},
                                     {"kept_until", instant(one.kept_until)},
                                     {"acknowledged_at", instant(one.acknowledged_at)},
                                     {"acknowledged_by", one.acknowledged_by},
                                     {"holds_back", one.holds_back},
                                     {"must_read_tables", one.must_read_tables},
                                     {"loaded", json::array(one.loaded.begin(), one.loaded.end())}});
    }
    return found;
}

json::value bug_json(const std::optional<BugStatus>& bug)
{
    if (!bug) {
        return nullptr;
    }
    return json::object{{"what", bug->what},
                        {"since", instant(bug->since)},
                        {"times", bug->times},
                        {"again_at", instant(bug->again_at)},
                        {"do_this", bug->do_this}};
}

json::value restart_json(const std::optional<RestartStatus>& restart)
{
    return restart ? json::value(json::object{{"why", restart->why}, {"since", instant(restart->since)}})
                   : json::value(nullptr);
}

json::object library_json(const LibraryStatus& library)
{
    json::array resources;
    for (const auto& resource : library.resources) {
        resources.push_back(resource_json(resource));
    }
    json::array repairs;
    for (const auto& one : library.repairs) {
        repairs.push_back(json::object{{"at", instant(one.at)},
                                       {"what", one.what},
                                       {"file", one.file},
                                       {"found", one.found},
                                       {"done", one.done},
                                       {"aside", one.aside.empty() ? json::value(nullptr) : json::value(one.aside)}});
    }
    return {{"name", library.name},
            {"state", state_word(library)},
            {"bug", bug_json(library.bug)},
            {"restart", restart_json(library.restart)},
            {"origin", library.origin},
            {"library_id", library.library_id.empty() ? json::value(nullptr) : json::value(library.library_id)},
            {"identity_verified", library.identity_verified},
            {"identity_trouble", library.identity_trouble},
            {"mirror", library.mirror},
            {"repairs", std::move(repairs)},
            {"wal_bytes", library.wal_bytes},
            {"wal_pinned_since", instant(library.wal_pinned_since)},
            {"wal_readers", json::array(library.wal_readers.begin(), library.wal_readers.end())},
            {"note", library.note},
            {"contact", library.contact},
            {"token", token_json(library.token)},
            {"budget", budget_json(library.budget)},
            {"snapshot", snapshot_json(library.snapshot)},
            {"consumers", consumers_json(library.consumers)},
            {"requests", requests_json(library.requests)},
            {"resources", std::move(resources)}};
}

}  // namespace

std::string to_json(const ProgressEvent& event)
{
    json::object line{{"event", "progress"}, {"library", event.library}, {"resource", event.resource}};
    line["state"] = event.ended         ? "ended"
                    : event.running     ? "running"
                    : event.planned     ? "planned"
                    : event.young_as_of ? "young"
                                        : "queued";
    if (event.planned) {
        line["plan"] = plan_json(*event.planned);
    }
    if (event.young_as_of) {
        line["as_of"] = instant(event.young_as_of);
    }
    if (event.paused_until) {
        line["paused_until"] = instant(event.paused_until);
    }
    if (event.ended) {
        line["run"] = run_json(*event.ended);
    } else if (event.running) {
        line["running"] = running_json(*event.running);
    }
    return json::serialize(line);
}

std::string to_json(const Status& status)
{
    json::array notices;
    for (const auto& notice : status.notices) {
        notices.push_back(
            json::object{{"text", notice.text}, {"do_this", notice.do_this}, {"since", instant(notice.since)}});
    }
    json::array libraries;
    for (const auto& library : status.libraries) {
        libraries.push_back(library_json(library));
    }
    json::object document{{"format_version", 1},
                          {"version", status.version},
                          {"pid", status.pid},
                          {"now", instant(status.now)},
                          {"started", instant(status.started)},
                          {"config_file", status.config_file},
                          {"config_loaded", instant(status.config_loaded)},
                          {"headline", headline(status)},
                          {"exit_code", number_of(exit_code(status))},
                          {"notices", std::move(notices)},
                          {"problems", problems_json(status.problems)},
                          {"absent", json::array(status.absent.begin(), status.absent.end())},
                          {"libraries", std::move(libraries)}};
    return json::serialize(document);
}

}  // namespace shelfd::control
