#include "sync/answer.hpp"

#include "support/catch.hpp"
#include "sync/trouble.hpp"

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

TEST_CASE("of something that is not JSON a sample is shown, unless it may hold data")
{
    CHECK(sync::sample("<html><style>a{}</style>\n") == "\"<html><style>a{}</style> \"");
    CHECK(sync::sample("Gateway says no") == "\"Gateway says no\"");
    CHECK(sync::sample(")]}',\n{\"email\":\"x@y\"}").find("x@y") == std::string::npos);
}

TEST_CASE("a bare array is not the whole list where its headers name more of it")
{
    const auto rest = [](const char* name, const char* value) {
        http::Response response;
        response.headers = {{"link", "<http://h/r/?page=1>; rel=prev"}, {name, value}};
        return sync::rest_of_array(response, 20);
    };
    CHECK(rest("Link", "<http://h/r/?page=2>; rel=\"next\"").find("header Link") != std::string::npos);
    CHECK(rest("Link", "<http://h/r/?page=2>; Rel=Next").find("header Link") != std::string::npos);
    CHECK(rest("Link", "<http://h/r/?page=9>; rel=\"last\"").empty());
    CHECK(rest("X-Total-Count", "21").find("20 rows out of 21") != std::string::npos);
    CHECK(rest("X-Total-Count", "20").empty());
    CHECK(rest("X-Total-Count", "many").empty());
}

TEST_CASE("a file of ours that may not be written is trouble of the disk, not of the service")
{
    CHECK(sync::trouble_of(Error(ErrorKind::permission, "not ours")) == sync::Trouble::storage);
    CHECK(sync::trouble_of(Error(ErrorKind::network, "no route")) == sync::Trouble::passing);
    CHECK(sync::trouble_of(Error(ErrorKind::needs_person, "lost")) == sync::Trouble::needs_person);
}
