#include "control/hooks/notification.hpp"

#include "control/hooks/alert_record.hpp"
#include "control/sample_status.hpp"
#include "support/catch.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <fmt/core.h>

#include <algorithm>

namespace shelfd::control {
namespace {

using namespace std::chrono_literals;

const NotificationPlace place{"mirror1", sample_now};

Announcement announcement(CallEvent event, std::vector<std::string> libraries = {"antwerp"})
{
    Announcement one;
    one.hook = "mail";
    one.event = event;
    one.incident.id = "20240106-3";
    one.incident.opened = sample_now - 2h;
    one.incident.cause.key = "token_lost antwerp";
    one.incident.cause.kind = CauseKind::token_lost;
    one.incident.cause.severity = Severity::page;
    one.incident.cause.origin = "https://api.example.com";
    for (auto& library : libraries) {
        Affected affected;
        affected.library = std::move(library);
        affected.why = "the answer to a refresh was lost";
        affected.do_this = "shelfctl auth import antwerp";
        one.incident.cause.affected.push_back(std::move(affected));
    }
    return one;
}

boost::json::value body_of(const Announcement& one)
{
    return boost::json::parse(notification_body(one, place));
}

TEST_CASE("the line for a chat says how bad, who, what, until when and what to type")
{
    auto one = announcement(CallEvent::opened);
    one.incident.cause.affected.front().deadline = sample_now + 3h;
    CHECK(
        chat_line(one, place) ==
        "[page] antwerp: there is no usable token set: the answer to a refresh was lost; syncing ends "
        "2024-01-06T09:00:00Z; the owner of the library can end it: shelfctl auth import antwerp (incident 20240106-3 "
        "on mirror1)");
    auto lag = one;
    lag.incident.cause.kind = CauseKind::consumer_lag;
    CHECK(chat_line(lag, place).find("; these changes are kept until 2024-01-06T09:00:00Z; ") != std::string::npos);
    one.event = CallEvent::repeated;
    CHECK(chat_line(one, place).find("[page still] ") == 0);
    one.event = CallEvent::recovered;
    one.incident.clear_since = sample_now;
    CHECK(chat_line(one, place) ==
          "[ok] antwerp: there is no usable token set: over after 2 h (incident 20240106-3 on mirror1)");
}

TEST_CASE("the line for a chat says when the first table is late where that is the deadline")
{
    auto one = announcement(CallEvent::opened, {"antwerp"});
    auto& affected = one.incident.cause.affected.front();
    affected.deadline = affected.late_at = place.now + 2h;
    CHECK(chat_line(one, place).find("; first table late 2024-01-06T08:00:00Z; ") != std::string::npos);
    CHECK(body_of(one).at("deadline") == "2024-01-06T08:00:00Z");
    affected.deadline = affected.late_at = place.now - 2h;
    CHECK(chat_line(one, place).find("; first table late since 2024-01-06T04:00:00Z; ") != std::string::npos);
    // A token set that stops is worse than tables that are late.
    affected.deadline = place.now - 3h;
    CHECK(chat_line(one, place).find("; syncing stopped 2024-01-06T03:00:00Z; ") != std::string::npos);
}

TEST_CASE("the line for a chat tells a cause once where its reason says all that its title does")
{
    struct Row {
        CauseKind kind;
        const char* why;
    };
    const Row rows[] = {
        {CauseKind::limit, "rate limited by the service: no requests until 2024-01-06T07:00:00Z"},
        {CauseKind::application, "the service refuses this application, not the token"},
        {CauseKind::permission, "the service refuses this list (403): a scope or a permission is missing"},
    };
    for (const auto& row : rows) {
        auto one = announcement(CallEvent::opened);
        one.incident.cause.kind = row.kind;
        one.incident.cause.affected.front().why = row.why;
        INFO(chat_line(one, place));
        CHECK(chat_line(one, place).starts_with(std::string("[page] antwerp: ") + row.why + "; "));
        one.incident.cause.affected.front().why = "HTTP 403";
        CHECK(chat_line(one, place).starts_with(fmt::format("[page] antwerp: {}: HTTP 403; ", title_of(row.kind))));
    }
}

TEST_CASE("the line for a chat about a filter is its reason, which names the filter")
{
    auto one = announcement(CallEvent::opened);
    one.incident.cause.kind = CauseKind::filter;
    for (const auto* why : {"the service ignores the filter since, so every pass walks the whole list",
                            "the filter since missed a change, so every pass walks the whole list"}) {
        one.incident.cause.affected.front().why = why;
        CHECK(chat_line(one, place).starts_with(std::string("[page] antwerp: ") + why + "; "));
    }
}

TEST_CASE("the end has the deadline that was told last, not that of the cause as it was seen last")
{
    auto one = announcement(CallEvent::recovered);
    one.incident.cause.affected.front().deadline = sample_now + 24h * 7;
    one.deadline = sample_now - 1h;
    CHECK(body_of(one).at("deadline") == "2024-01-06T05:00:00Z");
}

TEST_CASE("the line for a chat says that libraries have other reasons than the one in it")
{
    auto one = announcement(CallEvent::opened, {"antwerp", "bruges", "ghent"});
    CHECK(chat_line(one, place).find("other reason") == std::string::npos);
    one.incident.cause.affected.back().why = "nobody has imported one";
    CHECK(chat_line(one, place).find(": the answer to a refresh was lost; and 1 other reason; ") != std::string::npos);
}

TEST_CASE("a call for news says what joined, and how far the incident reaches")
{
    auto one = announcement(CallEvent::changed, {"bruges", "ghent", "antwerp"});
    one.incident.cause.kind = CauseKind::configuration;
    one.incident.cause.severity = Severity::ticket;
    one.incident.cause.affected.back().tables = {"stock"};
    one.incident.cause.affected.back().why = "the answer has another form";
    one.news = {one.incident.cause.affected.back()};
    CHECK(chat_line(one, place) ==
          "[ticket changed] antwerp stock: a list cannot be read as it is configured: the answer has another form; you "
          "can end it: shelfctl auth import antwerp; 3 libraries in all (incident 20240106-3 on mirror1)");
    const auto body = body_of(one);
    CHECK(body.at("event") == "changed");
    CHECK(body.at("why") == "the answer has another form");
    CHECK(body.at("library_count") == 3);
    REQUIRE(body.at("joined").as_array().size() == 1);
    CHECK(body.at("joined").at(0).at("library") == "antwerp");
    CHECK(body.at("joined").at(0).at("tables").at(0) == "stock");
    const auto variables = notification_environment(notification_body(one, place));
    REQUIRE(variables);
    CHECK(std::find(variables->begin(), variables->end(), "SHELFD_JOINED=antwerp") != variables->end());
    one.event = CallEvent::opened;
    CHECK(body_of(one).at("joined").as_array().empty());
}

TEST_CASE("forty libraries are three names and a number in the line, and all of them in the body")
{
    std::vector<std::string> names;
    for (int i = 0; i < 40; ++i) {
        names.push_back("library_" + std::to_string(i));
    }
    const auto one = announcement(CallEvent::opened, names);
    CHECK(chat_line(one, place).find("library_0, library_1, library_2 and 37 more: ") != std::string::npos);
    const auto body = body_of(one);
    CHECK(body.at("libraries").as_array().size() == 40);
    CHECK(body.at("library_count") == 40);
}

TEST_CASE("a body that cannot name all libraries says how many it leaves out")
{
    const auto number = static_cast<std::size_t>(GENERATE(199, 200, 201, 383));
    std::vector<std::string> names;
    for (std::size_t i = 0; i < number; ++i) {
        names.push_back("lib" + std::to_string(i));
    }
    for (const auto event : {CallEvent::opened, CallEvent::recovered}) {
        CAPTURE(number, to_string(event));
        const auto one = announcement(event, names);
        const auto body = body_of(one);
        const auto listed = std::min<std::size_t>(number, max_listed);
        CHECK(body.at("libraries").as_array().size() == listed);
        CHECK(body.at("affected").as_array().size() == listed);
        CHECK(body.at("library_count") == number);
        CHECK(body.at("left_out") == number - listed);
        CHECK(chat_line(one, place).find(fmt::format("lib2 and {} more", number - 3)) != std::string::npos);
        const auto variables = notification_environment(notification_body(one, place));
        REQUIRE(variables);
        const auto variable = fmt::format("SHELFD_LEFT_OUT={}", number - listed);
        CHECK(std::find(variables->begin(), variables->end(), variable) != variables->end());
    }
}

TEST_CASE("the body has every member, and its size is bounded")
{
    std::vector<std::string> names(3'000, "antwerp");
    auto one = announcement(CallEvent::opened, names);
    one.incident.cause.affected.front().why.assign(100'000, 'x');
    const auto text = notification_body(one, place);
    CHECK(text.size() < 100'000);
    CHECK(text.find('\n') == std::string::npos);
    const auto body = boost::json::parse(text);
    CHECK(body.at("libraries").as_array().size() == max_listed);
    CHECK(body.at("library_count") == 3'000);
    for (const auto* member : {"format_version", "hook",         "event",   "incident",  "cause",         "severity",
                               "title",          "why",          "who",     "do",        "since",         "deadline",
                               "first_late_at",  "recovered_at", "service", "libraries", "library_count", "affected",
                               "joined",         "host",         "time",    "text"}) {
        INFO(member);
        CHECK(body.as_object().contains(member));
    }
}

TEST_CASE("foreign text in a sentence becomes harmless in line and variables")
{
    auto one = announcement(CallEvent::opened);
    one.incident.cause.affected.front().why = std::string("evil\n\x1b[2J\0 end", 14);
    CHECK(chat_line(one, place).find('\n') == std::string::npos);
    CHECK(chat_line(one, place).find('\x1b') == std::string::npos);
    const auto variables = notification_environment(notification_body(one, place));
    REQUIRE(variables);
    for (const auto& variable : *variables) {
        CHECK(variable.find('\0') == std::string::npos);
        CHECK(variable.find('\n') == std::string::npos);
    }
}

TEST_CASE("a program finds every text of the body in its environment")
{
    const auto one = announcement(CallEvent::opened, {"antwerp", "ghent"});
    const auto variables = notification_environment(notification_body(one, place));
    REQUIRE(variables);
    const auto holds = [&](const std::string& wanted) {
        return std::find(variables->begin(), variables->end(), wanted) != variables->end();
    };
    CHECK(holds("SHELFD_EVENT=opened"));
    CHECK(holds("SHELFD_SEVERITY=page"));
    CHECK(holds("SHELFD_INCIDENT=20240106-3"));
    CHECK(holds("SHELFD_LIBRARIES=antwerp ghent"));
    CHECK(holds("SHELFD_DEADLINE="));
    CHECK(holds("SHELFD_LIBRARY_COUNT=2"));
    CHECK(holds("SHELFD_TEXT=" + chat_line(one, place)));
    CHECK(notification_environment("[]").error().kind() == ErrorKind::corrupt);
    CHECK(notification_environment("{").error().kind() == ErrorKind::corrupt);
}

TEST_CASE("a test says that it is one")
{
    const auto body = body_of(test_announcement("mail", sample_now));
    CHECK(body.at("event") == "test");
    CHECK(body.at("cause") == "test");
    CHECK(body.at("libraries").as_array().empty());
}

TEST_CASE("what alerts keep is read back as it was")
{
    AlertRecord record;
    auto one = announcement(CallEvent::opened).incident;
    one.cause.affected.front().tables = {"recipes", "stock"};
    one.cause.since = sample_now - 1h;
    one.cause.affected.front().since = sample_now - 30min;
    one.cause.affected.front().deadline = sample_now + 3h;
    one.told["mail"] = {sample_now, Severity::ticket};
    tell(one.told["mail"], one.cause, sample_now);
    one.told["mail"].severity = Severity::ticket;
    one.told["mail"].accepted = sample_now + 1s;
    one.returns = 3;
    one.named["antwerp"] = {"recipes", "stock"};
    auto closed = one;
    closed.id = "20240106-2";
    closed.clear_since = sample_now;
    closed.announced = true;
    closed.library_count = 383;
    record.book.open = {one};
    record.book.closed = {closed};
    record.book.silences["ghent"] = sample_now + 2h;
    record.book.last_number = 3;
    record.facts["antwerp"]["scope"] = "a b";
    record.rounds["antwerp"] = {"f:9", {{"recipes", "r1"}, {"stock", ""}}};
    PendingCall call;
    call.number = 7;
    call.hook = "mail";
    call.incident = one.id;
    call.event = CallEvent::escalated;
    call.severity = Severity::page;
    call.body = "{\"a\":1}";
    call.made = sample_now;
    call.tries = 2;
    call.refusals = 1;
    call.next_try = sample_now + 10s;
    record.calls = {call};
    const auto text = to_json(record);
    const auto again = parse_alert_record(text);
    REQUIRE(again);
    CHECK(to_json(*again) == text);
    CHECK(again->book.open.front().cause.affected.front().tables == one.cause.affected.front().tables);
    CHECK(again->book.open.front().told.at("mail").severity == Severity::ticket);
    CHECK(again->book.open.front().told.at("mail").members.contains("antwerp"));
    CHECK(again->book.open.front().told.at("mail").reasons == one.told["mail"].reasons);
    CHECK(again->book.open.front().told.at("mail").accepted == sample_now + 1s);
    CHECK(again->book.open.front().told.at("mail").deadlines.at("antwerp") == sample_now + 3h);
    CHECK(again->book.open.front().cause.affected.front().since == sample_now - 30min);
    CHECK(again->calls.front().severity == Severity::page);
    CHECK(again->book.silences.at("ghent") == sample_now + 2h);
    CHECK(again->calls.front().tries == 2);
    CHECK(again->calls.front().next_try == sample_now + 10s);
    CHECK(again->facts.at("antwerp").at("scope") == "a b");
    CHECK(again->rounds == record.rounds);
    CHECK(again->book.closed.front().announced);
    CHECK(again->book.closed.front().library_count == 383);
    CHECK(again->book.open.front().named == one.named);
    CHECK_FALSE(again->book.open.front().announced);
}

TEST_CASE("a record of an earlier version counts what it announced as told and accepted")
{
    AlertRecord record;
    record.book.open = {announcement(CallEvent::opened).incident};
    record.book.open.front().cause.since = sample_now - 1h;
    record.book.open.front().cause.affected.front().deadline = sample_now + 3h;
    auto text = to_json(record);
    const std::string nothing = R"("since":null,"contact")";
    REQUIRE(text.find(nothing) != std::string::npos);
    text.replace(text.find(nothing), nothing.size(), R"("contact")");
    const std::string nobody = R"("told":{})";
    REQUIRE(text.find(nobody) != std::string::npos);
    text.replace(text.find(nobody), nobody.size(),
                 R"("told":{"mail":{"at":"2024-01-06T06:00:00Z","severity":"page"}})");
    const auto read = parse_alert_record(text);
    REQUIRE(read);
    const auto& incident = read->book.open.front();
    CHECK(news_in(incident.cause, incident.told.at("mail")).empty());
    CHECK(incident.told.at("mail").accepted == sample_now);
    CHECK(incident.told.at("mail").deadlines.at("antwerp") == sample_now + 3h);
    CHECK(incident.cause.affected.front().since == sample_now - 1h);
}

TEST_CASE("damaged records are refused with what does not fit, whatever member it is")
{
    AlertRecord record;
    record.book.open = {announcement(CallEvent::opened).incident};
    const auto text = to_json(record);
    CHECK(parse_alert_record("").error().kind() == ErrorKind::corrupt);
    CHECK(parse_alert_record(text.substr(0, text.size() / 2)).error().kind() == ErrorKind::corrupt);
    for (const auto* member :
         {"format_version", "last_number", "open", "closed", "silences", "facts", "rounds", "calls", "id", "cause",
          "opened", "returns", "told", "key", "kind", "severity", "affected", "library"}) {
        auto broken = text;
        const auto at = broken.find("\"" + std::string(member) + "\":");
        REQUIRE(at != std::string::npos);
        broken[at + 1] = '_';
        INFO(member);
        const auto read = parse_alert_record(broken);
        REQUIRE_FALSE(read);
        CHECK(read.error().kind() == ErrorKind::corrupt);
        CHECK(read.error().text().find(member) != std::string::npos);
    }
}

}  // namespace
}  // namespace shelfd::control
