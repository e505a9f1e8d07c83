#include "http/trouble_source.hpp"

#include "support/catch.hpp"

using namespace shelfd;

TEST_CASE("a request without any answer is a trouble of the network, one with a part of it that of the service")
{
    const auto source = [](ErrorKind kind, std::optional<Delivery> delivery) {
        Error error(kind, "why");
        error.delivery = delivery;
        return http::source_of(error);
    };
    CHECK(source(ErrorKind::network, Delivery::not_sent) == TroubleSource::network);
    CHECK(source(ErrorKind::network, Delivery::perhaps_sent) == TroubleSource::network);
    CHECK(source(ErrorKind::network, Delivery::answered) == TroubleSource::service);
    CHECK(source(ErrorKind::timeout, Delivery::not_sent) == TroubleSource::network);
    CHECK(source(ErrorKind::timeout, Delivery::answered) == TroubleSource::service);
    CHECK(source(ErrorKind::throttled, std::nullopt) == TroubleSource::limit);
    CHECK(source(ErrorKind::protocol, Delivery::answered) == TroubleSource::service);
}

TEST_CASE("a fault of the network that the error names is its source")
{
    CHECK(http::source_of(Error(ErrorKind::network, "why").with(TroubleSource::ca_file)) == TroubleSource::ca_file);
}
