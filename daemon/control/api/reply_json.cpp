#include "control/api/reply_json.hpp"

#include "control/api/problem_json.hpp"
#include "control/metrics/metrics.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace shelfd::control {
namespace {

namespace json = boost::json;

int status_of(ErrorKind kind)
{
    switch (kind) {
    case ErrorKind::usage: return 400;
    case ErrorKind::permission: return 403;
    case ErrorKind::not_found: return 404;
    case ErrorKind::busy:
    case ErrorKind::needs_person: return 409;
    case ErrorKind::config: return 422;
    case ErrorKind::throttled: return 429;
    case ErrorKind::stopped: return 503;
    case ErrorKind::timeout: return 504;
    case ErrorKind::storage:
    case ErrorKind::corrupt: return 507;
    case ErrorKind::network:
    case ErrorKind::protocol:
    case ErrorKind::refused: return 502;
    }
    std::abort();
}

json::object error_json(const Error& error)
{
    return {{"kind", to_string(error.kind())}, {"text", error.text()}};
}

json::value instant(const std::optional<Instant>& at)
{
    return at ? json::value(at->to_text()) : json::value(nullptr);
}

json::array texts(const std::vector<std::string>& lines)
{
    return json::array(lines.begin(), lines.end());
}

}  // namespace

Reply error_reply(const Error& error)
{
    auto reply = json_reply(json::serialize(json::object{{"error", error_json(error)}}));
    reply.status = status_of(error.kind());
    return reply;
}

Reply json_reply(std::string text)
{
    Reply reply;
    text += '\n';
    reply.body = Secret(std::move(text));
    return reply;
}

Reply text_reply(std::string text)
{
    Reply reply;
    reply.content_type = "text/plain; charset=utf-8";
    reply.body = Secret(std::move(text));
    return reply;
}

Reply metrics_reply(const Status& status, const AlertReport& alerts, std::string_view query)
{
    const auto scope = MetricsScope::parse(query);
    if (!scope) {
        return error_reply(scope.error());
    }
    auto reply = text_reply(to_metrics(status, alerts, *scope));
    reply.content_type = "text/plain; version=0.0.4; charset=utf-8";
    return reply;
}

std::string done_line(const Result<void>& outcome)
{
    json::object line{{"event", "done"}, {"ok", outcome.has_value()}};
    if (!outcome) {
        line["error"] = error_json(outcome.error());
    }
    return json::serialize(line);
}

std::string waiting_line(const std::vector<std::string>& missing, const std::string& text)
{
    return json::serialize(json::object{{"event", "waiting"}, {"for", texts(missing)}, {"text", text}});
}

std::string alive_line()
{
    return R"({"event":"alive"})";
}

Reply report_reply(const ReloadReport& report)
{
    json::array absent;
    for (const auto& one : report.absent) {
        absent.push_back(json::object{{"library", one.library}, {"why", one.why}});
    }
    json::object answer{{"ok", true}, {"changes", texts(report.changes)}, {"warnings", texts(report.warnings)}};
    answer["absent"] = std::move(absent);
    if (!report.before.empty()) {
        answer["before"] = report.before;
    }
    return json_reply(json::serialize(answer));
}

Reply report_reply(const RemovalReport& report)
{
    json::array removed;
    for (const auto& item : report.removed) {
        removed.push_back(json::object{{"what", item.what}, {"path", item.path}, {"bytes", item.bytes}});
    }
    const auto why_not = report.why_not_revoked.empty() ? json::value(nullptr) : json::value(report.why_not_revoked);
    return json_reply(json::serialize(json::object{{"ok", true},
                                                   {"library", report.library},
                                                   {"removed", std::move(removed)},
                                                   {"revoked", report.revoked},
                                                   {"why_not_revoked", why_not},
                                                   {"is_configured", report.is_configured}}));
}

Reply report_reply(const ImportReport& report)
{
    const auto library_id = report.library_id.empty() ? json::value(nullptr) : json::value(report.library_id);
    json::object answer{{"ok", true}, {"library_id", library_id}, {"sealed", report.sealed}, {"text", report.text}};
    answer["expires_at"] = instant(report.expires_at);
    answer["scopes"] = texts(report.scopes);
    return json_reply(json::serialize(answer));
}

Reply report_reply(const SnapshotReport& report)
{
    return json_reply(json::serialize(
        json::object{{"ok", true}, {"path", report.path}, {"tables", report.tables}, {"bytes", report.bytes}}));
}

Reply report_reply(const RetypeReport& report)
{
    return json_reply(json::serialize(
        json::object{{"ok", true}, {"before", report.before}, {"after", report.after}, {"rows", report.rows}}));
}

Reply report_reply(const HeldReport& report)
{
    json::array rows;
    for (const auto& row : report.rows) {
        rows.push_back(
            json::object{{"key", row.key}, {"since", row.since.to_text()}, {"kept", row.kept}, {"why", row.why}});
    }
    return json_reply(json::serialize(
        json::object{{"ok", true}, {"waiting", report.waiting}, {"kept", report.kept}, {"rows", std::move(rows)}}));
}

Reply report_reply(const DecideReport& report)
{
    return json_reply(json::serialize(json::object{{"ok", true}, {"rows", report.rows}, {"left", report.left}}));
}

Reply report_reply(const LoginPlace& place)
{
    return json_reply(json::serialize(json::object{{"ok", true},
                                                   {"authorize_url", place.authorize_url},
                                                   {"client_id", place.client_id},
                                                   {"redirect_uri", place.redirect_uri},
                                                   {"scopes", texts(place.scopes)},
                                                   {"identity", place.identity}}));
}

Reply report_reply(Secret text)
{
    auto reply = text_reply("");
    reply.body = std::move(text);
    return reply;
}

Reply report_reply(RevealedToken token)
{
    return report_reply(std::move(token.access_token));
}

Reply ok_reply()
{
    return json_reply(R"({"ok":true})");
}

std::string verified_line(const VerifiedRow& row)
{
    json::array differences;
    for (const auto& one : row.differences) {
        differences.push_back(
            json::object{{"member", one.member},
                         {"mirror", one.mirror},
                         {"service", one.service.empty() ? json::value(nullptr) : json::value(one.service)}});
    }
    return json::serialize(json::object{{"event", "row"},
                                        {"key", row.key},
                                        {"verdict", row.verdict},
                                        {"why", row.why},
                                        {"address", row.address},
                                        {"differences", std::move(differences)},
                                        {"as_of", instant(row.as_of)},
                                        {"modified", instant(row.modified)},
                                        {"changed_since", row.changed_since}});
}

namespace {

json::value count_or_null(const std::optional<std::uint64_t>& count)
{
    return count ? json::value(*count) : json::value(nullptr);
}

json::value text_or_null(const std::string& text)
{
    return text.empty() ? json::value(nullptr) : json::value(text);
}

json::object probe_object(const ProbePlan& plan)
{
    return {{"event", "plan"}, {"purpose", plan.purpose}, {"requests", plan.requests}};
}

json::object probe_object(const FoundList& found)
{
    return {{"event", "found"},
            {"path", found.path},
            {"source", found.source},
            {"title", text_or_null(found.title)},
            {"verdict", found.verdict},
            {"why", text_or_null(found.why)},
            {"resource", text_or_null(found.resource)},
            {"envelope", text_or_null(found.envelope)},
            {"count", count_or_null(found.count)},
            {"page_rows", found.page_rows},
            {"more", found.more},
            {"explore_requests", found.explore_requests}};
}

json::object probe_object(const FoundIdentity& found)
{
    return {{"event", "identity"},
            {"path", found.path},
            {"field", found.field},
            {"user_field", text_or_null(found.user_field)},
            {"configured", found.configured}};
}

json::object probe_object(const ProbedList& list)
{
    json::array comparisons;
    for (const auto& text : list.texts) {
        comparisons.push_back(json::object{
            {"member", text.member}, {"holds", text.holds}, {"compare_with", text_or_null(text.compare_with)}});
    }
    const auto maybe = [](const std::optional<bool>& value) {
        return value ? json::value(*value) : json::value(nullptr);
    };
    return {{"event", "list"},
            {"path", list.path},
            {"readable", list.readable},
            {"forbidden", list.is_forbidden},
            {"lines", texts(list.lines)},
            {"toml", list.toml},
            {"envelope", list.envelope},
            {"count", count_or_null(list.count)},
            {"key", text_or_null(list.key)},
            {"needs_key", list.needs_key},
            {"key_candidates", texts(list.key_candidates)},
            {"newest_first", maybe(list.newest_first)},
            {"filter", text_or_null(list.filter)},
            {"window_field", text_or_null(list.window_field)},
            {"full_requests", count_or_null(list.full_requests)},
            {"refuses_wrong_token", maybe(list.refuses_wrong_token)},
            {"personal", texts(list.personal)},
            {"detail_members", texts(list.detail_members)},
            {"texts", std::move(comparisons)},
            {"requests", list.requests}};
}

}  // namespace

std::string probe_line(const ProbeEvent& event)
{
    return std::visit([](const auto& one) { return json::serialize(probe_object(one)); }, event);
}

Reply report_reply(const GetReport& report)
{
    json::object headers;
    for (const auto& [name, value] : report.headers) {
        headers[name] = value;
    }
    json::object told{{"status", report.status},
                      {"content_type", report.content_type},
                      {"bytes", report.body.size()},
                      {"headers", std::move(headers)}};
    if (report.ask_again) {
        told["ask_again"] = report.ask_again->to_short_text();
    }
    auto reply = json_reply(json::serialize(told));
    reply.content_type = "application/octet-stream";
    reply.body = Secret(std::string(reply.body.reveal()) + report.body);
    return reply;
}

Reply report_reply(const AlertReport& report)
{
    json::array hooks;
    for (const auto& hook : report.hooks) {
        hooks.push_back(json::object{{"name", hook.name},
                                     {"target", hook.target},
                                     {"on", texts(hook.on)},
                                     {"waiting", hook.waiting},
                                     {"waiting_since", instant(hook.waiting_since)},
                                     {"called", instant(hook.called)},
                                     {"trouble", hook.trouble},
                                     {"next_try", instant(hook.next_try)}});
    }
    json::array silences;
    for (const auto& silence : report.silences) {
        silences.push_back(json::object{{"library", silence.library}, {"until", instant(silence.until)}});
    }
    const json::object answer{{"format_version", 1},
                              {"hooks", std::move(hooks)},
                              {"incidents", incidents_json(report.incidents)},
                              {"ended", incidents_json(report.ended)},
                              {"silences", std::move(silences)},
                              {"dropped", report.dropped}};
    return json_reply(json::serialize(answer));
}

Reply report_reply(const SilenceReport& report)
{
    return json_reply(json::serialize(json::object{{"until", instant(report.until)}, {"longer", report.longer}}));
}

}  // namespace shelfd::control
