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

TEST_CASE("a file of ours that may not be written is trouble of the disk, not of the service")
{
    CHECK(sync::trouble_of(Error(ErrorKind::permission, "not ours")) == sync::Trouble::storage);
    CHECK(sync::trouble_of(Error(ErrorKind::network, "no route")) == sync::Trouble::passing);
    CHECK(sync::trouble_of(Error(ErrorKind::needs_person, "lost")) == sync::Trouble::needs_person);
}
