#include "http/fixture.hpp"

#include "support/temp_directory.hpp"

#include <sys/stat.h>

namespace shelfd::http {
namespace {

std::string trust(const TempDirectory& directory, const Certificate& certificate)
{
    auto path = directory / "ca.pem";
    write_file(path, certificate.certificate_pem);
    return path;
}

// "[1,1,1,1,1,1,1,1,1,1]", as `gzip -n` writes it.
const std::string gzipped = {"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff\x8b\x36\xd4\xc1\x80\xb1\x00\xc9\x48\x78\x93\x15"
                             "\x00\x00\x00",
                             25};

}  // namespace

TEST_CASE_METHOD(Fixture, "a certificate nobody vouches for is refused before a byte of the request leaves")
{
    ScriptedServer server(loop, Certificate::for_name("IP:127.0.0.1"));
    server.play({steps::read_request(), steps::ok("{}")});
    auto request = get(server.origin());
    request.bearer = Secret("t0ken");
    const auto result = send(std::move(request));
    REQUIRE(!result.has_value());
    CHECK(result.error().kind() == ErrorKind::network);
    CHECK(result.error().delivery == Delivery::not_sent);
    CHECK(result.error().text().find("is not trusted") != std::string::npos);
    CHECK(result.error().text().find("set ca_file, then: shelfctl reload") != std::string::npos);
    CHECK(result.error().source == TroubleSource::unknown_authority);
    CHECK(result.error().cure() == advice_on(TroubleSource::unknown_authority));
    CHECK(server.requests().empty());
}

TEST_CASE_METHOD(Fixture, "a trusted certificate for another host is refused")
{
    const TempDirectory directory;
    const auto certificate = Certificate::for_name("DNS:other.example");
    ScriptedServer server(loop, certificate);
    server.play({steps::read_request(), steps::ok("{}")});
    auto request = get(server.origin());
    request.route.ca_file = trust(directory, certificate);
    const auto result = send(std::move(request));
    REQUIRE(!result.has_value());
    CHECK(result.error().delivery == Delivery::not_sent);
    CHECK(result.error().text().find("127.0.0.1") != std::string::npos);
    CHECK(result.error().text().find("it belongs to another host: check the host in base_url") != std::string::npos);
    CHECK(result.error().source == TroubleSource::other_host);
    CHECK(result.error().text().find("set ca_file") == std::string::npos);
    CHECK(server.requests().empty());
}

TEST_CASE_METHOD(Fixture, "a certificate that has expired, or is not valid yet, is not a matter of ca_file")
{
    struct Row {
        std::chrono::hours moved;
        const char* advice;
        TroubleSource source;
    };
    for (const auto& row :
         {Row{std::chrono::hours(-48), "the service must renew it", TroubleSource::expired_certificate},
          Row{std::chrono::hours(48), "check the clock of this machine", TroubleSource::early_certificate}}) {
        const TempDirectory directory;
        const auto certificate = Certificate::for_name("IP:127.0.0.1", row.moved);
        ScriptedServer server(loop, certificate);
        server.play({steps::read_request(), steps::ok("{}")});
        auto request = get(server.origin());
        request.route.ca_file = trust(directory, certificate);
        const auto result = send(std::move(request));
        REQUIRE(!result.has_value());
        CHECK(result.error().delivery == Delivery::not_sent);
        INFO(result.error().text());
        CHECK(result.error().text().find(row.advice) != std::string::npos);
        CHECK(result.error().source == row.source);
        CHECK(result.error().text().find("set ca_file") == std::string::npos);
    }
}

TEST_CASE_METHOD(Fixture, "a ca_file without the authority of a certificate is named as what is wrong")
{
    const TempDirectory directory;
    ScriptedServer server(loop, Certificate::for_name("IP:127.0.0.1"));
    server.play({steps::read_request(), steps::ok("{}")});
    auto request = get(server.origin());
    request.route.ca_file = trust(directory, Certificate::for_name("IP:127.0.0.1"));
    const auto file = request.route.ca_file;
    const auto result = send(std::move(request));
    REQUIRE(!result.has_value());
    INFO(result.error().text());
    CHECK(result.error().text().ends_with("; its authority is not in " + file +
                                          ", or the server does not send an intermediate certificate: correct ca_file, "
                                          "then: shelfctl reload"));
    CHECK(result.error().source == TroubleSource::ca_file);
}

TEST_CASE_METHOD(Fixture, "a ca_file that became a pipe is refused, and nothing waits for what it brings")
{
    const TempDirectory directory;
    ScriptedServer server(loop, Certificate::for_name("IP:127.0.0.1"));
    server.play({steps::read_request(), steps::ok("{}")});
    auto request = get(server.origin());
    request.route.ca_file = directory / "ca.pem";
    REQUIRE(::mkfifo(request.route.ca_file.c_str(), 0600) == 0);
    const auto result = send(std::move(request));
    REQUIRE(!result.has_value());
    CHECK(result.error().delivery == Delivery::not_sent);
    CHECK(result.error().text().find("cannot read the trusted certificates from " + directory.path()) == 0);
    CHECK(server.requests().empty());
}

TEST_CASE_METHOD(Fixture, "a certificate in ca_file is trusted, and gzip is offered and undone over TLS")
{
    const TempDirectory directory;
    const auto certificate = Certificate::for_name("IP:127.0.0.1");
    ScriptedServer server(loop, certificate);
    server.play({steps::read_request(), steps::ok(gzipped, "Content-Encoding: gzip\r\n")});
    auto request = get(server.origin());
    request.route.ca_file = trust(directory, certificate);
    const auto result = send(std::move(request));
    REQUIRE(result.has_value());
    CHECK(result->body == "[1,1,1,1,1,1,1,1,1,1]");
    CHECK(server.requests().front().find("Accept-Encoding: gzip\r\n") != std::string::npos);
}

TEST_CASE_METHOD(Fixture, "a body that unpacks beyond the limit is an error although fewer bytes came")
{
    const TempDirectory directory;
    const auto certificate = Certificate::for_name("IP:127.0.0.1");
    ScriptedServer server(loop, certificate);
    server.play({steps::read_request(), steps::ok(gzipped, "Content-Encoding: gzip\r\n")});
    auto request = get(server.origin());
    request.route.ca_file = trust(directory, certificate);
    request.max_body = 20;
    const auto result = send(std::move(request));
    REQUIRE(!result.has_value());
    CHECK(result.error().kind() == ErrorKind::protocol);
}

TEST_CASE_METHOD(Fixture, "a ca_file that cannot be read is named")
{
    ScriptedServer server(loop, Certificate::for_name("IP:127.0.0.1"));
    server.play({steps::read_request(), steps::ok("{}")});
    auto request = get(server.origin());
    request.route.ca_file = "/nonexistent/ca.pem";
    const auto result = send(std::move(request));
    REQUIRE(!result.has_value());
    CHECK(result.error().delivery == Delivery::not_sent);
    CHECK(result.error().text() ==
          "cannot read the trusted certificates from /nonexistent/ca.pem: correct ca_file, then: shelfctl reload");
}

TEST_CASE_METHOD(Fixture, "a TLS connection that dies after the request leaves its fate open, without a signal")
{
    const TempDirectory directory;
    const auto certificate = Certificate::for_name("IP:127.0.0.1");
    for (const auto& ending : {steps::fin(), steps::reset()}) {
        ScriptedServer server(loop, certificate);
        server.play({steps::read_request(), ending});
        auto request = post(server.origin(), std::string(200'000, 'x'));
        request.route.ca_file = trust(directory, certificate);
        const auto result = send(std::move(request));
        REQUIRE(!result.has_value());
        CHECK(result.error().delivery == Delivery::perhaps_sent);
        CHECK(server.requests().size() == 1);
    }
}

}  // namespace shelfd::http
