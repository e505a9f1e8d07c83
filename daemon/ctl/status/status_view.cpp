#include "ctl/status/status_view.hpp"

#include "ctl/daemon/json_reader.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/core.h>

#include <cstdint>

namespace shelfd::ctl {
namespace {

namespace json = boost::json;

// Reads each object in an array; other elements are skipped.
template <typename Value>
std::vector<Value> each(const json::array* array, Value (*read)(const json::object&))
{
    std::vector<Value> values;
    if (array != nullptr) {
        for (const auto& value : *array) {
            if (const auto* object = value.if_object()) {
                values.push_back(read(*object));
            }
        }
    }
    return values;
}

Instant instant_in(const JsonReader& in, const char* name)
{
    return in.instant(name).value_or(Instant());
}

control::Running read_running(const json::object& object)
{
    const JsonReader in(object);
    control::Running running;
    running.started = instant_in(in, "started");
    running.phase = parse_phase(in.text("phase")).value_or(Phase::pages);
    running.page = static_cast<std::uint32_t>(in.count("page"));
    running.pages = static_cast<std::uint32_t>(in.count("pages"));
    running.rows = in.count("rows");
    running.count = in.count("count");
    running.rows_per_second = in.number("rows_per_second");
    running.eta = in.seconds("eta_seconds");
    running.note = in.text("note");
    running.waits_for_limit_since = in.instant("waits_for_limit_since");
    running.limit = in.text("limit");
    running.next_request_at = in.instant("next_request_at");
    running.list = in.count("list");
    running.lists = in.count("lists");
    return running;
}

control::RunReport read_run(const json::object& object)
{
    const JsonReader in(object);
    control::RunReport run;
    run.run_id = in.text("run_id");
    run.mode = in.text("mode");
    run.proven = in.flag("proven");
    run.started = instant_in(in, "started");
    run.finished = instant_in(in, "finished");
    run.result = in.text("result") == to_string(control::RunResult::published) ? control::RunResult::published
                                                                               : control::RunResult::failed;
    run.error = in.text("error");
    run.requests = in.count("requests");
    run.pages = in.count("pages");
    run.rows = in.count("rows");
    run.added = in.count("added");
    run.changed = in.count("changed");
    run.deleted = in.count("deleted");
    return run;
}

control::TokenStatus read_token(const json::object& object)
{
    const JsonReader in(object);
    control::TokenStatus token;
    token.needs_person = in.flag("needs_person");
    token.access_usable = in.flag("access_usable");
    const auto usual = token.access_usable ? TokenState::good : TokenState::waiting;
    token.state = parse_token_state(in.text("state")).value_or(usual);
    token.generation = in.count("generation");
    token.journal_copies = static_cast<decltype(token.journal_copies)>(in.count("journal_copies"));
    token.since = in.instant("since");
    token.expires_at = in.instant("expires_at");
    token.last_refresh = in.instant("last_refresh");
    token.next_refresh = in.instant("next_refresh");
    token.deadline = in.instant("deadline");
    token.reason = in.text("reason");
    token.do_this = in.text("do_this");
    token.next = in.text("next");
    for (const auto kind : {control::TokenKind::service_account, control::TokenKind::personal}) {
        token.kind = in.text("kind") == to_string(kind) ? kind : token.kind;
    }
    if (const auto* facts = in.object("facts")) {
        for (const auto& fact : *facts) {
            const std::string name(fact.key().data(), fact.key().size());
            token.facts.push_back({name, JsonReader(*facts).text(name.c_str())});
        }
    }
    return token;
}

control::ResourceStatus read_resource(const json::object& object)
{
    const JsonReader in(object);
    control::ResourceStatus resource;
    resource.name = in.text("name");
    resource.state = parse_table_state(in.text("state")).value_or(TableState::filling);
    resource.why = in.text("why");
    resource.do_this = in.text("do_this");
    resource.trouble = parse_trouble(in.text("trouble")).value_or(Trouble::none);
    resource.since = in.instant("since");
    resource.rows = in.count("rows");
    resource.held = in.count("held");
    resource.passes = in.count("passes");
    resource.passes_failed = in.count("passes_failed");
    resource.requests = in.count("requests");
    resource.as_of = in.instant("as_of");
    resource.proven_as_of = in.instant("proven_as_of");
    resource.complete_from = in.instant("complete_from");
    resource.complete_to = in.instant("complete_to");
    resource.late_at = in.instant("late_at");
    resource.next_due = in.instant("next_due");
    resource.quiet_until = in.instant("quiet_until");
    resource.missing_scope = in.text("missing_scope");
    if (const auto* running = in.object("running")) {
        resource.running = read_running(*running);
    }
    if (const auto* run = in.object("last_run")) {
        resource.last_run = read_run(*run);
    }
    if (const auto* detail = in.object("detail")) {
        const JsonReader each(*detail);
        resource.detail = {each.number("share"), each.count("pending"), each.count("gone"), each.instant("oldest")};
    }
    return resource;
}

control::Repair read_repair(const json::object& object)
{
    const JsonReader in(object);
    return {instant_in(in, "at"), in.text("what"), in.text("file"),
            in.text("found"),     in.text("done"), in.text("aside")};
}

control::BugStatus read_bug(const json::object& object)
{
    const JsonReader in(object);
    return {in.text("what"), instant_in(in, "since"), static_cast<std::uint32_t>(in.count("times")),
            instant_in(in, "again_at"), in.text("do_this")};
}

control::BudgetStatus read_budget(const json::object& object)
{
    const JsonReader in(object);
    const auto limit_in = [&in](const char* name) {
        const auto count = static_cast<std::uint32_t>(in.count(name));
        return count > 0 ? std::optional(count) : std::nullopt;
    };
    control::BudgetStatus budget;
    budget.group = in.text("group");
    budget.limit = limit_in("limit");
    budget.configured = limit_in("configured");
    budget.narrowed_by = in.text("narrowed_by");
    budget.used = static_cast<std::uint32_t>(in.count("used"));
    budget.in_flight = static_cast<std::uint32_t>(in.count("in_flight"));
    budget.waiting = static_cast<std::uint32_t>(in.count("waiting"));
    budget.requests = in.count("requests");
    budget.foreign = static_cast<decltype(budget.foreign)>(in.count("foreign"));
    budget.paused_until = in.instant("paused_until");
    budget.user = in.text("user");
    budget.libraries = in.texts("libraries");
    return budget;
}

control::FeedConsumer read_consumer(const json::object& object)
{
    const JsonReader in(object);
    return {in.text("name"),
            in.text("position"),
            in.count("waiting"),
            in.instant("waiting_since"),
            in.instant("kept_until"),
            in.instant("acknowledged_at").value_or(Instant()),
            in.text("acknowledged_by"),
            in.flag("holds_back"),
            in.flag("must_read_tables"),
            in.texts("loaded")};
}

control::LibraryStatus read_library(const json::object& object)
{
    const JsonReader in(object);
    control::LibraryStatus library;
    library.name = in.text("name");
    if (const auto* bug = in.object("bug")) {
        library.bug = read_bug(*bug);
    }
    if (const auto* restart = in.object("restart")) {
        const JsonReader begun(*restart);
        library.restart = {begun.text("why"), begun.instant("since").value_or(Instant())};
    }
    library.origin = in.text("origin");
    library.library_id = in.text("library_id");
    library.identity_verified = in.flag("identity_verified");
    library.identity_trouble = in.text("identity_trouble");
    library.repairs = each(in.array("repairs"), read_repair);
    library.mirror = in.text("mirror");
    library.note = in.text("note");
    library.contact = in.text("contact");
    if (const auto* budget = in.object("budget")) {
        library.budget = read_budget(*budget);
    }
    library.wal_bytes = in.count("wal_bytes");
    library.wal_pinned_since = in.instant("wal_pinned_since");
    library.wal_readers = in.counts("wal_readers");
    if (const auto* token = in.object("token")) {
        library.token = read_token(*token);
    }
    if (const auto* snapshot = in.object("snapshot")) {
        const JsonReader last(*snapshot);
        library.snapshot = {last.instant("made_at"), last.text("trouble"), last.instant("since")};
    }
    library.consumers = each(in.array("consumers"), read_consumer);
    library.resources = each(in.array("resources"), read_resource);
    return library;
}

control::Notice read_notice(const json::object& object)
{
    const JsonReader in(object);
    return {in.text("text"), in.text("do_this"), in.instant("since")};
}

control::Affected read_affected(const json::object& object)
{
    const JsonReader in(object);
    control::Affected affected;
    affected.library = in.text("library");
    affected.tables = in.texts("tables");
    affected.tables_in_all = in.count("tables_in_all");
    affected.state = parse_table_state(in.text("state"));
    affected.why = in.text("why");
    affected.do_this = in.text("do_this");
    affected.next = in.text("next");
    affected.next_try = in.instant("next_try");
    affected.deadline = in.instant("deadline");
    affected.late_at = in.instant("late_at");
    affected.since = in.instant("since");
    affected.note = in.text("note");
    affected.contact = in.text("contact");
    return affected;
}

// A kind that this version does not know is trouble of the daemon.
control::Cause read_problem(const json::object& object)
{
    const JsonReader in(object);
    control::Cause problem;
    problem.key = in.text("key");
    problem.kind = control::parse_cause_kind(in.text("cause")).value_or(control::CauseKind::daemon);
    problem.severity = control::parse_severity(in.text("severity")).value_or(control::Severity::ticket);
    problem.origin = in.text("origin");
    problem.contact = in.text("contact");
    problem.incident = in.text("incident");
    problem.since = in.instant("since");
    problem.momentary = in.flag("momentary");
    problem.affected = each(in.array("affected"), read_affected);
    return problem;
}

Result<json::object> parse_object(std::string_view text)
{
    boost::system::error_code broken;
    auto document = json::parse({text.data(), text.size()}, broken);
    if (broken || !document.is_object()) {
        return Error(ErrorKind::protocol, "the answer is not a status of shelfd; which program uses that socket?");
    }
    return std::move(document.get_object());
}

}  // namespace

Result<StatusView> read_status(std::string_view text)
{
    SHELFD_TRY_ASSIGN(document, parse_object(text));
    const JsonReader in(document);
    if (in.count("format_version") != 1) {
        return Error(
            ErrorKind::protocol,
            fmt::format("the daemon has version {} and uses another format; use the shelfctl that came with it",
                        in.text("version")));
    }
    StatusView status;
    status.version = in.text("version");
    status.now = instant_in(in, "now");
    status.started = instant_in(in, "started");
    status.config_file = in.text("config_file");
    status.config_loaded = instant_in(in, "config_loaded");
    status.headline = in.text("headline");
    status.pid = static_cast<std::int64_t>(in.count("pid"));
    status.notices = each(in.array("notices"), read_notice);
    status.absent = in.texts("absent");
    status.problems = each(in.array("problems"), read_problem);
    std::erase_if(status.problems, [](const control::Cause& problem) { return problem.affected.empty(); });
    status.libraries = each(in.array("libraries"), read_library);
    return status;
}

control::Running read_running(std::string_view text)
{
    const auto object = parse_object(text);
    return object ? read_running(*object) : control::Running();
}

control::RunReport read_run(std::string_view text)
{
    const auto object = parse_object(text);
    return object ? read_run(*object) : control::RunReport();
}

Result<std::string> add_notices(std::string_view text, const std::vector<control::Notice>& notices)
{
    SHELFD_TRY_ASSIGN(document, parse_object(text));
    auto& all = document["notices"];
    if (!all.is_array()) {
        all = json::array();
    }
    for (const auto& notice : notices) {
        all.get_array().push_back(json::object{{"text", notice.text}, {"do_this", notice.do_this}, {"since", nullptr}});
    }
    return json::serialize(document);
}

}  // namespace shelfd::ctl
