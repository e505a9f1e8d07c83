#include "control/hooks/alert_record.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <boost/json/value_from.hpp>
#include <boost/json/value_to.hpp>
#include <fmt/core.h>

#include <ranges>
#include <set>
#include <stdexcept>
#include <utility>

namespace shelfd::control {
namespace {

namespace json = boost::json;

constexpr std::int64_t format_version = 1;

json::value instant(const std::optional<Instant>& at)
{
    return at ? json::value(at->to_text()) : json::value(nullptr);
}

json::object instants(const std::map<std::string, Instant>& times)
{
    json::object object;
    for (const auto& [name, at] : times) {
        object[name] = instant(at);
    }
    return object;
}

json::array texts(const std::vector<std::string>& list)
{
    return json::array(list.begin(), list.end());
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
                                        {"late_at", instant(one.late_at)},
                                        {"since", instant(one.since)},
                                        {"contact", one.contact}});
    }
    return {{"key", cause.key},
            {"kind", to_string(cause.kind)},
            {"severity", to_string(cause.severity)},
            {"origin", cause.origin},
            {"since", instant(cause.since)},
            {"momentary", cause.momentary},
            {"affected", std::move(affected)}};
}

json::object told_json(const std::map<std::string, Told>& told)
{
    json::object object;
    for (const auto& [hook, what] : told) {
        const auto members = std::views::keys(what.members);
        object[hook] = json::object{{"at", instant(what.at)},
                                    {"severity", to_string(what.severity)},
                                    {"members", texts({members.begin(), members.end()})},
                                    {"reasons", texts({what.reasons.begin(), what.reasons.end()})},
                                    {"accepted", instant(what.accepted)},
                                    {"deadlines", instants(what.deadlines)}};
    }
    return object;
}

json::array incidents_json(const std::vector<Incident>& incidents)
{
    json::array array;
    for (const auto& incident : incidents) {
        array.push_back(json::object{{"id", incident.id},
                                     {"cause", cause_json(incident.cause)},
                                     {"opened", instant(incident.opened)},
                                     {"clear_since", instant(incident.clear_since)},
                                     {"returns", incident.returns},
                                     {"announced", incident.announced},
                                     {"named", json::value_from(incident.named)},
                                     {"library_count", incident.library_count},
                                     {"told", told_json(incident.told)}});
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
                                     {"severity", to_string(call.severity)},
                                     {"body", call.body},
                                     {"made", instant(call.made)},
                                     {"tries", call.tries},
                                     {"refusals", call.refusals},
                                     {"next_try", instant(call.next_try)}});
    }
    return array;
}

// --- reading: what does not fit throws, and `parse_alert_record` catches it; `contains`: not in earlier versions ---

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
    boost::system::error_code error;
    const auto number = member(object, name).to_number<std::uint64_t>(error);
    return error ? (misfit(name), 0) : number;
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

std::map<std::string, Instant> times(const json::object& object)
{
    std::map<std::string, Instant> found;
    for (const auto& one : object) {
        const std::string name(one.key());
        found[name] = time(object, name.c_str());
    }
    return found;
}

const json::object& element(const json::value& value)
{
    return value.is_object() ? value.get_object() : (misfit("a list"), value.get_object());
}

// Texts, in lists or by name.
template <typename Value>
Value texts_in(const json::object& object, const char* name)
{
    auto found = json::try_value_to<Value>(member(object, name));
    return found ? std::move(*found) : (misfit(name), Value());
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
    cause.momentary = member(object, "momentary") == json::value(true);
    for (const auto& value : list(object, "affected")) {
        const auto& one = element(value);
        Affected affected{
            text(one, "library"),         {}, text(one, "why"), text(one, "do"), optional_time(one, "deadline"),
            optional_time(one, "late_at")};
        affected.contact = one.contains("contact") ? text(one, "contact") : "";
        affected.since = one.contains("since") ? optional_time(one, "since") : cause.since;  // of an earlier version
        affected.tables = texts_in<std::vector<std::string>>(one, "tables");
        cause.affected.push_back(std::move(affected));
    }
    if (cause.affected.empty()) {
        misfit("affected");
    }
    return cause;
}

Told told_of(const json::object& object, const Cause& cause)
{
    Told told{time(object, "at"), word(object, "severity", parse_severity)};
    if (!object.contains("members")) {
        // An earlier version wrote it: all was told, and accepted. Later ones without deadlines: those of the cause.
        tell(told, cause, told.at);
        told.accepted = told.at;
        return told;
    }
    for (const auto& member : texts_in<std::vector<std::string>>(object, "members")) {
        told.members[member] = told.at;
    }
    told.reasons = texts_in<std::set<std::string>>(object, "reasons");
    told.accepted = optional_time(object, "accepted");
    told.deadlines = object.contains("deadlines") ? times(table(object, "deadlines")) : deadlines_of(cause);
    return told;
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
        incident.announced = object.contains("announced") && object.at("announced") == json::value(true);
        if (object.contains("named")) {
            incident.named = texts_in<decltype(incident.named)>(object, "named");
            incident.library_count = count(object, "library_count");
        }
        for (const auto& told : table(object, "told")) {
            incident.told[std::string(told.key())] = told_of(element(told.value()), incident.cause);
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
        call.severity = object.contains("severity") ? word(object, "severity", parse_severity) : call.severity;
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
        libraries[library] = json::object{{"position", rounds.position}, {"runs", json::value_from(rounds.runs)}};
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
        rounds.runs = texts_in<decltype(rounds.runs)>(object, "runs");
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
    record.book.silences = times(table(object, "silences"));
    record.facts = texts_in<FactWatch::Known>(object, "facts");
    record.rounds = rounds_of(table(object, "rounds"));
    record.calls = calls_of(list(object, "calls"));
    return record;
}

}  // namespace

std::string to_json(const AlertRecord& record)
{
    const json::object object{
        {"format_version", format_version},           {"last_number", record.book.last_number},
        {"open", incidents_json(record.book.open)},   {"closed", incidents_json(record.book.closed)},
        {"silences", instants(record.book.silences)}, {"facts", json::value_from(record.facts)},
        {"rounds", rounds_json(record.rounds)},       {"calls", calls_json(record.calls)}};
    return json::serialize(object);
}

Result<AlertRecord> parse_alert_record(std::string_view text)
{
    boost::system::error_code error;
    const auto document = json::parse(json::string_view(text.data(), text.size()), error);
    if (error || !document.is_object()) {
        return Error(ErrorKind::corrupt, "it is not a JSON object");
    }
    try {
        return record_of(document.get_object());
    } catch (const std::invalid_argument& fault) {
        return Error(ErrorKind::corrupt, fmt::format("\"{}\" is missing or not what it should be", fault.what()));
    }
}

}  // namespace shelfd::control
