#include "sync/service/page_answer.hpp"

#include "http/sample.hpp"
#include "sync/details/detail_answer.hpp"
#include "sync/service/bare_array.hpp"
#include "sync/service/envelope.hpp"

#include "support/catch.hpp"
#include "sync/trouble/trouble.hpp"

#include <fmt/format.h>

using namespace shelfd;

namespace {

sync::AnswerKind kind_of(int status, const std::string& retry_after)
{
    http::Response response;
    response.status = status;
    if (!retry_after.empty()) {
        response.headers.push_back({"Retry-After", retry_after});
    }
    return sync::classify(response).kind;
}

}  // namespace

TEST_CASE("a 503 leaves the wait to the limiter only when it says how long")
{
    CHECK(kind_of(503, "120") == sync::AnswerKind::throttled);
    CHECK(kind_of(503, "Sat, 21 Nov 2026 09:00:00 GMT") == sync::AnswerKind::throttled);
    CHECK(kind_of(503, "soon") == sync::AnswerKind::passing);
    CHECK(kind_of(503, "") == sync::AnswerKind::passing);
    CHECK(kind_of(429, "") == sync::AnswerKind::throttled);
}

TEST_CASE("a 403 that tells of a limit is a pause for every kind of request, and any other one a missing permission")
{
    const auto refused = [](const char* name, const char* value) {
        http::Response response;
        response.status = 403;
        response.headers.push_back({name, value});
        return response;
    };
    for (const auto& limited :
         {refused("Retry-After", "2.0"), refused("Retry-After", "soon"), refused("X-Retry-After-Ms", "1500"),
          refused("X-RateLimit-Remaining", "0"), refused("RateLimit", "limit=100, remaining=0, reset=5")}) {
        INFO(limited.headers.front().name << ": " << limited.headers.front().value);
        CHECK(sync::classify(limited).kind == sync::AnswerKind::throttled);
        CHECK(sync::classify_row(limited) == sync::RowAnswer::throttled);
        CHECK(sync::classify_detail(limited, Instant()).event == sync::DetailEvent::throttled);
    }
    const auto forbidden = refused("X-RateLimit-Remaining", "12");
    CHECK(sync::classify(forbidden).kind == sync::AnswerKind::forbidden);
    CHECK(sync::classify_row(forbidden) == sync::RowAnswer::unclear);
    CHECK(sync::classify_detail(forbidden, Instant()).event == sync::DetailEvent::refused);
}

TEST_CASE("what was removed for good is not found: a 410 is read as a 404")
{
    for (const int status : {404, 410}) {
        INFO(status);
        http::Response response;
        response.status = status;
        response.body = R"({"detail":"Not found."})";
        const auto list = sync::classify(response);
        CHECK(list.kind == sync::AnswerKind::misconfigured);
        CHECK(list.cure.kind() == CureKind::check_address);
        CHECK(list.why.ends_with(list.cure.words()));
        CHECK(list.why.find(fmt::format("no such list ({})", status)) != std::string::npos);
        CHECK(sync::classify_row(response) == sync::RowAnswer::gone);
        CHECK(sync::classify_detail(response, Instant()).event == sync::DetailEvent::gone);
        response.body = "<h1>Gone</h1>";
        CHECK(sync::classify_row(response) == sync::RowAnswer::unclear);
        response.body = R"({"detail":"Invalid page."})";
        CHECK(sync::classify(response).kind == sync::AnswerKind::past_end);
    }
}

TEST_CASE("a cure keeps its kind on the way through an error, which holds only the words")
{
    for (const auto kind : {CureKind::check_address, CureKind::check_path_or_object, CureKind::split_list}) {
        const Cure cure(kind);
        INFO(cure.words());
        CHECK_FALSE(cure.words().empty());
        Error error(ErrorKind::config, "no such list");
        error.advise("; ", std::string(cure.words()));
        CHECK(cure_of(error.cure()).kind() == kind);
        CHECK(cure_of(error.cure()).words() == cure.words());
    }
    Error error(ErrorKind::config, "no such list");
    CHECK(cure_of(error.cure()).kind() == CureKind::none);
    error.advise("; ", "check `key`");
    CHECK(cure_of(error.cure()).kind() == CureKind::other);
    CHECK(cure_of(error.cure()).words() == "check `key`");
    CHECK(Cure("").kind() == CureKind::none);
}

TEST_CASE("only an object whose members hold arrays has the cure that names both its path and its kind")
{
    const auto kind = [](std::string body) {
        const auto page = sync::read_page(body);
        return page ? CureKind::none : cure_of(page.error().cure()).kind();
    };
    CHECK(kind(R"({"items":[],"total":5})") == CureKind::check_path_or_object);
    CHECK(kind(R"({"data":{"items":[]}})") == CureKind::check_path_or_object);
    CHECK(kind(R"({"total":5})") == CureKind::other);
    CHECK(kind(R"("five")") == CureKind::other);
}

TEST_CASE("any refusal that asks to wait is a limit, but a 401 is about the token first")
{
    for (const int status : {400, 402, 404, 409, 420, 422, 430}) {
        INFO(status);
        CHECK(kind_of(status, "4") == sync::AnswerKind::throttled);
        http::Response response;
        response.status = status;
        response.headers.push_back({"Retry-After", "4"});
        CHECK_FALSE(sync::denies_page(response));
        const bool is_of_all = status == 420 || status == 430;
        const auto detail = sync::classify_detail(response, Instant());
        CHECK(detail.event == (is_of_all ? sync::DetailEvent::throttled : sync::DetailEvent::closed));
        CHECK(detail.wait == std::chrono::seconds(4));
        CHECK(sync::closed_for(response, Instant()) == (is_of_all ? Duration(0) : Duration(std::chrono::seconds(4))));
    }
    CHECK(kind_of(401, "4") == sync::AnswerKind::unauthorized);
    CHECK(kind_of(404, "") == sync::AnswerKind::misconfigured);
    CHECK(kind_of(409, "") == sync::AnswerKind::misconfigured);
}

TEST_CASE("a page that a proxy has passed on is a page, and an answer that is not there yet is asked for again")
{
    http::Response response;
    response.status = 203;
    response.body = "[]";
    CHECK(sync::classify(response).kind == sync::AnswerKind::page);
    CHECK(sync::brings_page(203));
    response.status = 202;
    CHECK(sync::classify(response).kind == sync::AnswerKind::passing);
    CHECK_FALSE(sync::brings_page(202));
}

TEST_CASE("a refusal with a page for people is that of a firewall: it passes, and asks for no permission")
{
    const auto answer = [](int status, const char* body, const char* challenge = "") {
        http::Response response;
        response.status = status;
        response.body = body;
        if (*challenge != '\0') {
            response.headers.push_back({"WWW-Authenticate", challenge});
        }
        return response;
    };
    const auto* const page = " <html><title>Request blocked</title></html>";
    for (const auto& blocked : {answer(403, page), answer(401, page)}) {
        CHECK(sync::classify(blocked).kind == sync::AnswerKind::passing);
        CHECK(sync::classify(blocked).why.find("with a page for people instead of JSON") != std::string::npos);
        CHECK_FALSE(sync::denies_page(blocked));
    }
    CHECK(sync::classify(answer(401, page, "Bearer")).kind == sync::AnswerKind::unauthorized);
    CHECK(sync::classify(answer(401, R"({"detail":"no"})")).kind == sync::AnswerKind::unauthorized);
    CHECK(sync::classify(answer(403, R"({"detail":"no"})")).kind == sync::AnswerKind::forbidden);
    // A 400 may be about the query all the same.
    CHECK(sync::classify(answer(400, page)).kind == sync::AnswerKind::bad_request);
    CHECK(sync::classify(answer(400, page)).why.find("a page for people") != std::string::npos);
    CHECK(sync::is_page_for_people(answer(400, page)));
    CHECK_FALSE(sync::is_page_for_people(answer(400, R"({"detail":"<no>"})")));
}

TEST_CASE("of something that is not JSON a sample is shown, unless it may hold data")
{
    CHECK(http::sample("<html><style>a{}</style>\n") == "\"<html><style>a{}</style> \"");
    CHECK(http::sample("Gateway says no") == "\"Gateway says no\"");
    CHECK(http::sample("<p>Bearer 7f3a9c1e5b2d</p> unknown") == "\"<p>Bearer ... unknown\"");
    CHECK(http::sample(")]}',\n{\"email\":\"x@y\"}").find("x@y") == std::string::npos);
}

TEST_CASE("the headers of a bare array tell where the rest of its list is, in each of the usual ways")
{
    const auto rest = [](const char* name, const char* value) {
        http::Response response;
        response.headers = {{"link", "<http://h/r/?page=1>; rel=prev"}, {name, value}};
        return sync::rest_of_array(response);
    };
    struct Row {
        const char* name;
        const char* value;
        std::optional<std::string> next_query = {};
        std::optional<std::uint64_t> total = {};
    };
    const Row rows[] = {
        {"Link", "<http://h/r/?page=2>; rel=\"next\"", "page=2"},
        {"Link", "<http://h/r/?page=2>; Rel=Next", "page=2"},
        {"Link", "</r/?a=1,2;3&page=2>; title=\"a, b; c\"; rel='next'", "a=1,2;3&page=2"},
        {"Link", "<http://h/r/?page=9>; rel=\"last next\"", "page=9"},
        {"Link", "<http://h/r/?page=9>; rel=\"last\", <http://h/r/?page=3>;rel=next", "page=3"},
        {"Link", "<http://h/r/?page=9>; rel=\"last\""},
        {"Link", "<http://h/r/?page=9>; rev=\"next\""},
        {"Link", "no link at all; rel=next"},
        {"X-Total-Count", "21", {}, 21},
        {"X-Total-Count", "many"},
        {"X-Total", "450", {}, 450},
        {"Content-Range", "items 0-99/450", {}, 450},
        {"Content-Range", "items 0-99/*"},
        {"Content-Range", "bytes 0-1233/1234"},  // the body is meant, as of a 206
        {"X-Pagination", R"({"PageSize":100,"TotalCount":450})", {}, 450},
        {"X-Pagination", "page 1 of 5"},
    };
    for (const auto& row : rows) {
        INFO(row.name << ": " << row.value);
        const auto found = rest(row.name, row.value);
        REQUIRE(found);
        CHECK(found->next_query == row.next_query);
        CHECK(found->total == row.total);
    }
    const auto by_path = rest("Link", "<http://h/r/pages/2>; rel=next");
    REQUIRE_FALSE(by_path);
    CHECK(by_path.error().text().find("header Link") != std::string::npos);
}

TEST_CASE("a file of ours that may not be written is trouble of the disk, not of the service")
{
    CHECK(sync::trouble_of(Error(ErrorKind::permission, "not ours")) == sync::Trouble::storage);
    CHECK(sync::trouble_of(Error(ErrorKind::network, "no route")) == sync::Trouble::passing);
    CHECK(sync::trouble_of(Error(ErrorKind::needs_person, "lost")) == sync::Trouble::needs_person);
}

TEST_CASE("a Date that no clock shows is not believed, and one that is a little off is, up to our own")
{
    struct Row {
        const char* name;
        const char* date;
        std::optional<Instant> is;
    };
    const auto now = *Instant::from_rfc3339("2026-11-21T09:00:00Z");
    const auto otherwise = now - std::chrono::minutes(5);
    const Row rows[] = {
        {"the present", "Sat, 21 Nov 2026 08:59:50 GMT", now - std::chrono::seconds(10)},
        {"our clock is a day ahead", "Fri, 20 Nov 2026 09:00:00 GMT", now - std::chrono::hours(24)},
        {"its clock is ahead", "Sun, 22 Nov 2026 09:00:00 GMT", now},
        {"year 1", "Mon, 01 Jan 0001 00:00:00 GMT", otherwise},
        {"1970", "Thu, 01 Jan 1970 00:00:00 GMT", otherwise},
        {"years ago", "Mon, 20 Nov 2023 09:00:00 GMT", otherwise},
        {"year 9999", "Fri, 31 Dec 9999 23:59:59 GMT", otherwise},
        {"none", "yesterday", otherwise},
    };
    for (const auto& row : rows) {
        INFO(row.name);
        http::Response response;
        response.headers.push_back({"Date", row.date});
        CHECK(sync::service_time(response, otherwise, now) == row.is);
        response.headers.push_back({"Retry-After", "Sat, 21 Nov 2026 09:02:00 GMT"});
        CHECK(*http::retry_after(response, now) <= std::chrono::hours(72));
    }
}

TEST_CASE("a 401 is about the token first, and if it names a wait, in any spelling, perhaps about a limit")
{
    struct Row {
        const char* name;
        const char* value;
        std::optional<Duration> wait;
    };
    const auto row = GENERATE(values<Row>({
        {"Retry-After", "30", std::chrono::seconds(30)},
        {"retry-after", "0", std::chrono::seconds(1)},
        {"X-Retry-After", "90", std::chrono::seconds(90)},
        {"Retry-After-Ms", "1500", std::chrono::milliseconds(1500)},
        {"X-Ms-Retry-After-Ms", "2500", std::chrono::milliseconds(2500)},
        {"Retry-After", "999999999", std::chrono::hours(24)},
        {"Retry-After", "soon", std::nullopt},
        {"Date", "Sat, 21 Nov 2026 09:00:00 GMT", std::nullopt},
    }));
    INFO(row.name << ": " << row.value);
    http::Response response;
    response.headers.push_back({row.name, row.value});
    response.status = 401;
    CHECK(sync::limit_of_refusal(response, Instant()) == row.wait);
    // The canary decides whether the token is dead.
    CHECK(sync::classify(response).kind == sync::AnswerKind::unauthorized);
    response.status = 403;
    CHECK_FALSE(sync::limit_of_refusal(response, Instant()));
}
