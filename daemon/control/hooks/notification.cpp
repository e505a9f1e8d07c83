#include "control/hooks/notification.hpp"

#include "base/words/names.hpp"
#include "base/words/safe_text.hpp"
#include "control/hooks/joined_ends.hpp"
#include "control/model/contacts.hpp"
#include "control/model/reason.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

namespace shelfd::control {
namespace {

namespace json = boost::json;

constexpr std::size_t max_sentence = 600;  // bytes
constexpr std::size_t listed_in_line = 3;
constexpr std::size_t max_tables = 50;  // of one library

// One line, not too long, cut between characters.
std::string sentence(const std::string& text)
{
    auto line = escape_line(text);
    if (line.size() > max_sentence) {
        auto end = max_sentence;
        while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xc0U) == 0x80U) {
            --end;
        }
        line = line.substr(0, end) + "…";
    }
    return line;
}

json::value instant(const std::optional<Instant>& at)
{
    return at ? json::value(at->to_short_text()) : json::value(nullptr);
}

// The earliest of what any library has as `member`.
std::optional<Instant> earliest(const Cause& cause, std::optional<Instant> Affected::*member)
{
    std::optional<Instant> first;
    for (const auto& one : cause.affected) {
        const auto& at = one.*member;
        first = first && at ? std::min(*first, *at) : first ? first : at;
    }
    return first;
}

// "; syncing ends 2026-…", "; first table late 2026-…".
std::string describe_deadline(const Cause& cause, Instant now)
{
    const auto deadline = earliest(cause, &Affected::deadline);
    const auto late = earliest(cause, &Affected::late_at);
    const bool is_of_table = std::any_of(cause.affected.begin(), cause.affected.end(), [&](const Affected& one) {
        return one.deadline == deadline && is_deadline_of_table(one);
    });
    if (deadline && !is_of_table) {
        const auto* syncing = *deadline > now ? "syncing ends" : "syncing stopped";
        const auto* what = cause.kind == CauseKind::consumer_lag ? "these changes are kept until" : syncing;
        return fmt::format("; {} {}", what, deadline->to_short_text());
    }
    if (late && (is_of_table || *late > now)) {
        return fmt::format("; first table late {}{}", *late > now ? "" : "since ", late->to_short_text());
    }
    return "";
}

std::vector<std::string> libraries_of(const std::vector<Affected>& affected)
{
    std::vector<std::string> names;
    for (const auto& one : affected) {
        if (!one.library.empty()) {
            names.push_back(one.library);
        }
    }
    return names;
}

// "antwerp recipes", "antwerp (6 tables)", "antwerp, ghent, hasselt and 37 more"; "" for the daemon itself.
std::string describe_who(const std::vector<Affected>& affected)
{
    const auto names = libraries_of(affected);
    if (names.size() == 1) {
        const auto& tables = affected.front().tables;
        return tables.empty()       ? names.front()
               : tables.size() == 1 ? names.front() + " " + tables.front()
                                    : fmt::format("{} ({} tables)", names.front(), tables.size());
    }
    return list_some(names, listed_in_line);
}

std::string describe_actor(std::string_view who)
{
    return who == "owner"     ? "the owner of the library can end it"
           : who == "service" ? "the operator of the service can end it"
           : who == "nobody"  ? "nobody has to act"
                              : "you can end it";
}

std::string describe_cure(const Cause& cause, const Affected& first)
{
    if (!first.do_this.empty()) {
        return fmt::format("; {}: {}", describe_actor(who_can_act(cause.kind)), sentence(first.do_this));
    }
    const bool is_retried =
        cause.kind == CauseKind::service || cause.kind == CauseKind::network || cause.kind == CauseKind::limit;
    return is_retried ? "; nothing to type: it is tried again by itself" : "";
}

// Where somebody at the service can help.
std::string describe_contact(const Cause& cause, const std::vector<Affected>& topic)
{
    const bool is_of_machine = who_can_act(cause.kind) == "operator" && cause.kind != CauseKind::refresh;
    const auto contact = is_of_machine ? "" : describe_contacts(topic);
    return contact.empty() ? "" : "; contact: " + sentence(contact);
}

std::string describe_end(const Announcement& announcement, const NotificationPlace& place)
{
    const auto& incident = announcement.incident;
    return fmt::format("over after {}", describe_duration(std::max(
                                            incident.clear_since.value_or(place.now) - incident.opened, Duration(0))));
}

json::array details_of(const std::vector<Affected>& affected)
{
    json::array list;
    for (const auto& one : affected) {
        if (list.size() >= max_listed) {
            break;
        }
        json::array tables;
        for (std::size_t i = 0; i < std::min(one.tables.size(), max_tables); ++i) {
            tables.emplace_back(one.tables[i]);
        }
        list.push_back(json::object{{"library", one.library},
                                    {"tables", std::move(tables)},
                                    {"table_count", one.tables.size()},
                                    {"why", sentence(one.why)},
                                    {"do", sentence(one.do_this)},
                                    {"contact", sentence(one.contact)},
                                    {"deadline", instant(one.deadline)}});
    }
    return list;
}

// What the sentences of a call are about: what is new, if the hook was called for that.
const std::vector<Affected>& topic_of(const Announcement& announcement)
{
    const bool is_news = announcement.event == CallEvent::changed && !announcement.news.empty();
    return is_news ? announcement.news : announcement.incident.cause.affected;
}

// "the title: the reason", without the title where the reason says all of its words anyway.
std::string describe_cause(CauseKind kind, const std::string& why)
{
    const auto words_of = [](std::string_view text) {
        std::set<std::string, std::less<>> words;
        std::string word;
        for (const char c : std::string(text) + " ") {
            if (c != ' ' && c != ':' && c != ',' && c != ';') {
                word += c;
                continue;
            }
            if (!word.empty() && word != "a" && word != "the") {
                words.insert(word);
            }
            word.clear();
        }
        return words;
    };
    const auto title = words_of(title_of(kind));
    const auto said = words_of(why);
    // Whatever is wrong with a filter, its reason names it.
    const bool says_all = (kind == CauseKind::filter && !why.empty()) ||
                          std::includes(said.begin(), said.end(), title.begin(), title.end());
    return says_all ? why : fmt::format("{}{}{}", title_of(kind), why.empty() ? "" : ": ", why);
}

// What the sentence about the first of them does not tell.
std::string describe_others(const Cause& cause, const std::vector<Affected>& topic)
{
    std::vector<const Affected*> all;
    std::transform(topic.begin(), topic.end(), std::back_inserter(all), [](const Affected& one) { return &one; });
    return describe_other_reasons(other_reasons(cause.kind, all));
}

// "; 3 libraries in all": how far the incident reaches beyond that.
std::string describe_rest(const Announcement& announcement)
{
    if (announcement.event != CallEvent::changed) {
        return "";
    }
    const auto libraries = libraries_of(announcement.incident.cause.affected).size();
    return libraries > libraries_of(topic_of(announcement)).size() ? fmt::format("; {} libraries in all", libraries)
                                                                   : "";
}

std::string upper(std::string_view name)
{
    std::string text(name);
    std::transform(text.begin(), text.end(), text.begin(),
                   [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
    return text;
}

}  // namespace

std::string chat_line(const Announcement& announcement, const NotificationPlace& place)
{
    const auto& cause = announcement.incident.cause;
    const auto& topic = topic_of(announcement);
    const auto& first = topic.front();
    const auto who = describe_who(topic);
    const bool is_over = announcement.event == CallEvent::recovered;
    const auto* mark = announcement.event == CallEvent::repeated    ? " still"
                       : announcement.event == CallEvent::escalated ? " worse"
                       : announcement.event == CallEvent::changed   ? " changed"
                                                                    : "";
    auto text = is_over ? fmt::format("[ok] {}{}{}: {}", who, who.empty() ? "" : ": ", title_of(cause.kind),
                                      describe_end(announcement, place))
                        : fmt::format("[{}{}] {}{}{}", to_string(cause.severity), mark, who, who.empty() ? "" : ": ",
                                      describe_cause(cause.kind, sentence(first.why)));
    if (!is_over) {
        text += first.why.empty() ? "" : describe_others(cause, topic);
        text += describe_deadline(cause, place.now);
        text += describe_cure(cause, first) + describe_contact(cause, topic) + describe_rest(announcement);
    }
    return fmt::format("{} (incident {} on {})", text, announcement.incident.id, place.host);
}

std::string notification_body(const Announcement& announcement, const NotificationPlace& place)
{
    const auto& incident = announcement.incident;
    const auto& cause = incident.cause;
    const auto& first = topic_of(announcement).front();
    const auto names = libraries_of(cause.affected);
    json::array libraries;
    for (std::size_t i = 0; i < std::min(names.size(), max_listed); ++i) {
        libraries.emplace_back(names[i]);
    }
    const bool is_over = announcement.event == CallEvent::recovered;
    const bool is_news = announcement.event == CallEvent::changed;
    const json::object body{
        {"format_version", 1},
        {"hook", announcement.hook},
        {"event", to_string(announcement.event)},
        {"incident", incident.id},
        {"cause", to_string(cause.kind)},
        {"severity", to_string(cause.severity)},
        {"title", title_of(cause.kind)},
        {"why", sentence(first.why)},
        {"who", who_can_act(cause.kind)},
        {"do", is_over ? "" : sentence(first.do_this)},
        {"contact", sentence(describe_contacts(cause.affected))},
        {"since", instant(incident.opened)},
        {"deadline", instant(is_over ? announcement.deadline : earliest(cause, &Affected::deadline))},
        {"first_late_at", instant(earliest(cause, &Affected::late_at))},
        {"recovered_at", is_over ? instant(incident.clear_since) : json::value(nullptr)},
        {"service", cause.origin},
        {"libraries", std::move(libraries)},
        {"library_count", names.size()},
        {"left_out", names.size() - std::min(names.size(), max_listed)},
        {"affected", details_of(cause.affected)},
        {"joined", is_news ? details_of(announcement.news) : json::array()},
        {"over", json::array()},
        {"host", place.host},
        {"time", instant(place.now)},
        {"text", chat_line(announcement, place)}};
    auto text = json::serialize(body);
    return is_over ? join_ends({text}) : text;
}

namespace {

// "antwerp ghent": names, tables with rounds, libraries that joined, or incidents that are over.
std::string names_in(const json::array& list, const char* member)
{
    std::string names;
    for (const auto& one : list) {
        const auto* name = one.is_object() ? one.get_object().if_contains(member) : &one;
        if (name != nullptr && name->is_string()) {
            names += (names.empty() ? "" : " ") + std::string(name->get_string());
        }
    }
    return names;
}

bool is_list_of_names(std::string_view member)
{
    return member == "libraries" || member == "tables" || member == "joined" || member == "over";
}

}  // namespace

Result<std::vector<std::string>> notification_environment(const std::string& body)
{
    boost::system::error_code error;
    const auto document = json::parse(body, error);
    const auto* object = error ? nullptr : document.if_object();
    if (object == nullptr) {
        return Error(ErrorKind::corrupt, "the body of a call is not a JSON object");
    }
    std::vector<std::string> variables;
    for (const auto& member : *object) {
        std::string value;
        if (const auto* text = member.value().if_string()) {
            value = std::string(*text);
        } else if (const auto* list = member.value().if_array(); list != nullptr && is_list_of_names(member.key())) {
            value = names_in(*list, member.key() == "joined" ? "library"
                                    : member.key() == "over" ? "incident"
                                                             : "table");
        } else if (const auto* number = member.value().if_int64()) {
            value = std::to_string(*number);
        } else if (!member.value().is_null()) {
            continue;
        }
        variables.push_back(fmt::format("SHELFD_{}={}", upper(std::string_view(member.key())), value));
    }
    return variables;
}

Announcement test_announcement(const std::string& hook, Instant now)
{
    Announcement one;
    one.hook = hook;
    one.event = CallEvent::test;
    one.incident.id = "test";
    one.incident.opened = now;
    one.incident.cause.key = "test";
    one.incident.cause.kind = CauseKind::test;
    one.incident.cause.severity = Severity::info;
    Affected affected;
    affected.why = "requested with shelfctl hooks test " + hook;
    one.incident.cause.affected.push_back(std::move(affected));
    return one;
}

}  // namespace shelfd::control
