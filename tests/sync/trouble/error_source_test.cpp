#include "sync/trouble/error_source.hpp"

#include "oauth/endpoint/canary.hpp"
#include "support/catch.hpp"
#include "sync/trouble/recorded_reason.hpp"

#include <cerrno>

using namespace shelfd;

TEST_CASE("the cause of an error is read from its kind and numbers and never from its sentence")
{
    const auto source = [](ErrorKind kind, int status, int number) {
        Error error(kind, "HTTP 404: check identity.path; the disk is full");
        return sync::source_of(error.with_status(status).with_errno(number));
    };
    CHECK(source(ErrorKind::needs_person, 401, 0) == TroubleSource::refusal);
    CHECK(source(ErrorKind::needs_person, 0, 0) == TroubleSource::service);
    CHECK(source(ErrorKind::refused, 401, 0) == TroubleSource::service);
    CHECK(source(ErrorKind::storage, 0, ENOSPC) == TroubleSource::space);
    CHECK(source(ErrorKind::storage, 0, EIO) == TroubleSource::service);
    CHECK(source(ErrorKind::network, 0, 0) == TroubleSource::network);
    CHECK(source(ErrorKind::throttled, 429, 0) == TroubleSource::limit);
}

TEST_CASE(
    "a sentence that an earlier process recorded says whether it is about the identity page, the network or a limit")
{
    const oauth::CanarySpec spec{"https://library.test/me/", "id", "", "identity.path"};
    for (const auto& [status, body] : {std::pair(404, "{}"), std::pair(200, "{}")}) {
        http::Response response;
        response.status = status;
        response.body = body;
        const auto reading = oauth::read_canary(spec, Result<http::Response>(response), Instant());
        REQUIRE(reading.misconfigured);
        CHECK(sync::source_of_recorded(reading.text) == TroubleSource::identity);
    }
    CHECK(sync::source_of_recorded("cannot connect to https://library.test: Connection refused") ==
          TroubleSource::network);
    CHECK(sync::source_of_recorded("page 3: https://library.test gave no answer within 30 s") ==
          TroubleSource::network);
    CHECK(sync::source_of_recorded("rate limited by the service (429)") == TroubleSource::limit);
    CHECK(sync::source_of_recorded("403: forbidden") == TroubleSource::service);
    CHECK(sync::source_of_recorded("") == TroubleSource::service);
}
