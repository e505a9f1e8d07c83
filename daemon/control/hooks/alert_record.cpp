#include "control/hooks/alert_record.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/core.h>

#include <stdexcept>

namespace shelfd::control {
namespace {

namespace json = boost::json;

constexpr std::int64_t format_version = 1;

// --- writing ---

json::value instant(const std::optional<Instant>& at)
{
    return at ? json::value(at->to_text()) : json::value(nullptr);
}

json::array texts(const std::vector<std::string>& list)
{
    json::array array;
    for (const auto& text : list) {
        array.emplace_back(text);
    }
    return array;
}

json::object cause_json(const Cause& cause)
{
    json::array affected;
    for (const auto& one : cause.affected) {
        affected.push_back(json::object{{"library", one.library},
                                        {"tables", texts(one.tables)},
                                        {"why", one.why},
                                        {"do", one.do_this},
                                        {"deadline", instant(one.deadline)},
                                        {"late_at", instant(one.late_at)}});
    }
    return {{"key", cause.key},
            {"kind", to_string(cause.kind)},
            {"severity", to_string(cause.severity)},
            {"origin", cause.origin},
            {"since", instant(cause.since)},
            {"momentary", cause.momentary},
            {"affected", std::move(affected)}};
}

json::array incidents_json(const std::vector<Incident>& incidents)
{
    json::array array;
    for (const auto& incident : incidents) {
        json::object told;
        for (const auto& [hook, what] : incident.told) {
            told[hook] = json::object{{"at", instant(what.at)}, {"severity", to_string(what.severity)}};
        }
        array.push_back(json::object{{"id", incident.id},
                                     {"cause", cause_json(incident.cause)},
                                     {"opened", instant(incident.opened)},
                                     {"clear_since", instant(incident.clear_since)},
                                     {"returns", incident.returns},
                                     {"told", std::move(told)}});
    }
    return array;
}

json::array calls_json(const std::vector<PendingCall>& calls)
{
    json::array array;
    for (const auto& call : calls) {
        array.push_back(json::object{{"number", call.number},
                                     {"hook", call.hook},
                                     {"incident", call.incident},
                                     {"event", to_string(call.event)},
                                     {"body", call.body},
                                     {"made", instant(call.made)},
                                     {"tries", call.tries},
                                     {"refusals", call.refusals},
                                     {"next_try", instant(call.next_try)}});
    }
    return array;
}

// --- reading: what does not fit throws, and `parse_alert_record` catches it ---

[[noreturn]] void misfit(const char* what)
{
    throw std::invalid_argument(what);
}

const json::value& member(const json::object& object, const char* name)
{
    const auto* value = object.if_contains(name);
    return value != nullptr ? *value : (misfit(name), object.begin()->value());
}

std::string text(const json::object& object, const char* name)
{
    const auto& value = member(object, name);
    return value.is_string() ? std::string(value.get_string()) : (misfit(name), "");
}

std::uint64_t count(const json::object& object, const char* name)
{
    const auto& value = member(object, name);
    if (value.is_uint64()) {
        return value.get_uint64();
    }
    if (!value.is_int64() || value.get_int64() < 0) {
        misfit(name);
    }
    return static_cast<std::uint64_t>(value.get_int64());
}

std::optional<Instant> optional_time(const json::object& object, const char* name)
{
    if (member(object, name).is_null()) {
        return std::nullopt;
    }
    const auto at = Instant::from_rfc3339(text(object, name));
    return at ? at : (misfit(name), at);
}

Instant time(const json::object& object, const char* name)
{
    const auto at = optional_time(object, name);
    return at ? *at : (misfit(name), Instant());
}

const json::array& list(const json::object& object, const char* name)
{
    const auto& value = member(object, name);
    return value.is_array() ? value.get_array() : (misfit(name), value.get_array());
}

const json::object& table(const json::object& object, const char* name)
{
    const auto& value = member(object, name);
    return value.is_object() ? value.get_object() : (misfit(name), value.get_object());
}

const json::object& element(const json::value& value)
{
    return value.is_object() ? value.get_object() : (misfit("a list"), value.get_object());
}

std::string element_text(const json::value& value)
{
    return value.is_string() ? std::string(value.get_string()) : (misfit("a list"), "");
}

template <typename Value>
Value word(const json::object& object, const char* name, std::optional<Value> (*parse)(std::string_view))
{
    const auto value = parse(text(object, name));
    return value ? *value : (misfit(name), Value());
}

Cause cause_of(const json::object& object)
{
    Cause cause;
    cause.key = text(object, "key");
    cause.kind = word(object, "kind", parse_cause_kind);
    cause.severity = word(object, "severity", parse_severity);
    cause.origin = text(object, "origin");
    cause.since = optional_time(object, "since");
    const auto& momentary = member(object, "momentary");
    cause.momentary = momentary.is_bool() && momentary.get_bool();
    for (const auto& value : list(object, "affected")) {
        const auto& one = element(value);
        Affected affected{
            text(one, "library"),         {}, text(one, "why"), text(one, "do"), optional_time(one, "deadline"),
            optional_time(one, "late_at")};
        for (const auto& name : list(one, "tables")) {
            affected.tables.push_back(element_text(name));
        }
        cause.affected.push_back(std::move(affected));
    }
    if (cause.affected.empty()) {
        misfit("affected");
    }
    return cause;
}

std::vector<Incident> incidents_of(const json::array& array)
{
    std::vector<Incident> incidents;
    for (const auto& value : array) {
        const auto& object = element(value);
        Incident incident;
        incident.id = text(object, "id");
        incident.cause = cause_of(table(object, "cause"));
        incident.opened = time(object, "opened");
        incident.clear_since = optional_time(object, "clear_since");
        incident.returns = static_cast<std::uint32_t>(count(object, "returns"));
        for (const auto& told : table(object, "told")) {
            const auto& what = element(told.value());
            incident.told[std::string(told.key())] = {time(what, "at"), word(what, "severity", parse_severity)};
        }
        incidents.push_back(std::move(incident));
    }
    return incidents;
}

std::vector<PendingCall> calls_of(const json::array& array)
{
    std::vector<PendingCall> calls;
    for (const auto& value : array) {
        const auto& object = element(value);
        PendingCall call;
        call.number = count(object, "number");
        call.hook = text(object, "hook");
        call.incident = text(object, "incident");
        call.event = word(object, "event", parse_call_event);
        call.body = text(object, "body");
        call.made = time(object, "made");
        call.tries = static_cast<std::uint32_t>(count(object, "tries"));
        call.refusals = static_cast<std::uint32_t>(count(object, "refusals"));
        call.next_try = optional_time(object, "next_try");
        calls.push_back(std::move(call));
    }
    return calls;
}

json::object rounds_json(const RoundWatch::Known& known)
{
    json::object libraries;
    for (const auto& [library, rounds] : known) {
        json::object runs;
        for (const auto& [name, run] : rounds.runs) {
            runs[name] = run;
        }
        libraries[library] = json::object{{"position", rounds.position}, {"runs", std::move(runs)}};
    }
    return libraries;
}

RoundWatch::Known rounds_of(const json::object& libraries)
{
    RoundWatch::Known known;
    for (const auto& library : libraries) {
        const auto& object = element(library.value());
        auto& rounds = known[std::string(library.key())];
        rounds.position = text(object, "position");
        for (const auto& run : table(object, "runs")) {
            rounds.runs[std::string(run.key())] = element_text(run.value());
        }
    }
    return known;
}

AlertRecord record_of(const json::object& object)
{
    if (count(object, "format_version") != format_version) {
        misfit("format_version");
    }
    AlertRecord record;
    record.book.open = incidents_of(list(object, "open"));
    record.book.closed = incidents_of(list(object, "closed"));
    record.book.last_number = count(object, "last_number");
    const auto& silences = table(object, "silences");
    for (const auto& silence : silences) {
        const std::string library(silence.key());
        record.book.silences[library] = time(silences, library.c_str());
    }
    for (const auto& library : table(object, "facts")) {
        auto& facts = record.facts[std::string(library.key())];
        for (const auto& fact : element(library.value())) {
            facts[std::string(fact.key())] = element_text(fact.value());
        }
    }
    record.rounds = rounds_of(table(object, "rounds"));
    record.calls = calls_of(list(object, "calls"));
    return record;
}

}  // namespace

std::string to_json(const AlertRecord& record)
{
    json::object silences;
    for (const auto& [library, until] : record.book.silences) {
        silences[library] = instant(until);
    }
    json::object facts;
    for (const auto& [library, known] : record.facts) {
        json::object one;
        for (const auto& [name, value] : known) {
            one[name] = value;
        }
        facts[library] = std::move(one);
    }
    const json::object object{
        {"format_version", format_version},         {"last_number", record.book.last_number},
        {"open", incidents_json(record.book.open)}, {"closed", incidents_json(record.book.closed)},
        {"silences", std::move(silences)},          {"facts", std::move(facts)},
        {"rounds", rounds_json(record.rounds)},     {"calls", calls_json(record.calls)}};
    return json::serialize(object);
}

Result<AlertRecord> parse_alert_record(std::string_view text)
{
    boost::system::error_code error;
    const auto document = json::parse(json::string_view(text.data(), text.size()), error);
    if (error || !document.is_object()) {
        return Error(ErrorKind::corrupt, "it is no JSON object");
    }
    try {
        return record_of(document.get_object());
    } catch (const std::invalid_argument& fault) {
        return Error(ErrorKind::corrupt, fmt::format("\"{}\" is missing or not what it should be", fault.what()));
    }
}

}  // namespace shelfd::control
