#include "sync/trouble/error_source.hpp"

#include "support/catch.hpp"

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

TEST_CASE("what an error names as its cause goes before what its kind shows")
{
    CHECK(sync::source_of(Error(ErrorKind::config, "no list").with(TroubleSource::shape)) == TroubleSource::shape);
    CHECK(sync::source_of(Error(ErrorKind::network, "no name").with(TroubleSource::host_name)) ==
          TroubleSource::host_name);
}
