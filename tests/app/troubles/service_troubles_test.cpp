// What the service and the way to it can do, as an operator meets it.
#include "app/troubles/staged_trouble.hpp"
#include "support/catch.hpp"
#include "support/scripted_server.hpp"

#include <fmt/format.h>

#include <map>

using namespace shelfd;
using namespace std::chrono_literals;
using control::CauseKind;
using control::Severity;

namespace {

sim::Fault everywhere(int status, std::string body, std::string content_type = "application/json")
{
    sim::Fault fault;
    fault.path = "/";
    fault.times = std::nullopt;
    fault.acts = false;
    fault.status = status;
    fault.body = std::move(body);
    fault.content_type = std::move(content_type);
    return fault;
}

StagedTrouble::Act answer_everywhere(sim::Fault fault)
{
    return [fault](DaemonBench& bench) { bench.fail(fault); };
}

void forget_faults(DaemonBench& bench)
{
    bench.world()->faults.clear();
}

// Requests end as they did on a real network.
StagedTrouble::Act cut_off(Error error)
{
    return [error](DaemonBench& bench) {
        bench.client.fails = [error](const std::string&) { return std::optional(error); };
    };
}

void connect_again(DaemonBench& bench)
{
    bench.client.fails = [](const std::string&) { return std::nullopt; };
}

Error error_of_certificate(const std::string& subject, std::chrono::hours moved, bool is_trusted)
{
    const TempDirectory directory;
    asio::io_context loop;
    const auto certificate = Certificate::for_name(subject, moved);
    ScriptedServer server(loop, certificate);
    server.play({steps::read_request(), steps::ok("{}")});
    http::Route route;
    if (is_trusted) {
        write_file(directory / "ca.pem", certificate.certificate_pem);
        route.ca_file = directory / "ca.pem";
    }
    return error_of_request(loop, server.origin(), route);
}

Error error_without_server(const std::string& url, const http::Route& route = {})
{
    asio::io_context loop;
    return error_of_request(loop, url, route);
}

StagedTrouble network_trouble(const char* name, const char* why, Error error,
                              const char* cure = "curl -sSI https://service.test")
{
    return {.name = name,
            .cause = CauseKind::network,
            .severity = Severity::ticket,  // somebody here can act
            .why = why,
            .cure = cure,
            .next = "tries again",
            .deadline = StagedTrouble::Deadline::set,
            .stage = cut_off(std::move(error)),
            .mend = connect_again};
}

}  // namespace

TEST_CASE("staged trouble: the service is down")
{
    check_trouble({.name = "502",
                   .cause = CauseKind::service,
                   .severity = Severity::info,
                   .why = "502",
                   .cure = "",
                   .next = "help@service.test",
                   .deadline = StagedTrouble::Deadline::set,
                   .stage = answer_everywhere(everywhere(502, "bad gateway", "text/plain")),
                   .mend = forget_faults,
                   .tables = {"antwerp", "ghent"}});
}

TEST_CASE("staged trouble: the service answers with a page for people")
{
    check_trouble(
        {.name = "HTML",
         .cause = CauseKind::service,
         .severity = Severity::info,
         .why = "not JSON",
         .cure = "",
         .next = "tries again",
         .deadline = StagedTrouble::Deadline::set,
         .stage = answer_everywhere(everywhere(200, "<!doctype html><title>Maintenance</title>", "text/html")),
         .mend = forget_faults});
}

TEST_CASE("staged trouble: one list answers 500")
{
    auto fault = everywhere(500, "{}");
    fault.path = "/api/v2/library/recipes/";
    check_trouble({.name = "500 of a list",
                   .cause = CauseKind::service,
                   .severity = Severity::info,
                   .why = "the service answered 500",
                   .cure = "",
                   .next = "tries again",
                   .deadline = StagedTrouble::Deadline::set,
                   .stage = answer_everywhere(fault),
                   .mend = forget_faults,
                   .tables = {"recipes"}});
}

TEST_CASE("staged trouble: the service closes for two hours")
{
    auto fault = everywhere(503, "{}");
    fault.headers = {{"Retry-After", "7200"}};
    check_trouble({.name = "503",
                   .cause = CauseKind::service,
                   .severity = Severity::info,
                   .why = "503",
                   .cure = "",
                   .next = "tries again",
                   .deadline = StagedTrouble::Deadline::set,
                   .stage = answer_everywhere(fault),
                   .mend = forget_faults,
                   .over = 4h});
}

TEST_CASE("staged trouble: 429 for two hours")
{
    auto fault = everywhere(429, R"({"detail":"Request was throttled."})");
    fault.headers = {{"Retry-After", "7200"}};
    fault.path = "/api/";
    check_trouble({.name = "429",
                   .cause = CauseKind::limit,
                   .severity = Severity::ticket,
                   .why = "rate limited by the service",
                   .cure = "",
                   .next = "tries again",
                   .deadline = StagedTrouble::Deadline::set,
                   .stage = answer_everywhere(fault),
                   .mend = forget_faults,
                   .within = 90min,
                   .over = 4h});
}

TEST_CASE("staged trouble: answers are cut off")
{
    sim::Fault fault;
    fault.path = "/api/v2/library/recipes/";
    fault.times = std::nullopt;
    fault.cut = sim::Cut::in_body;
    fault.cut_at = 100;
    check_trouble({.name = "cut",
                   .cause = CauseKind::service,
                   .severity = Severity::info,
                   .why = "cut",
                   .cure = "",
                   .next = "tries again",
                   .deadline = StagedTrouble::Deadline::set,
                   .stage = answer_everywhere(fault),
                   .mend = forget_faults,
                   .tables = {"recipes"}});
}

TEST_CASE("staged trouble: the certificate of the service has expired")
{
    auto trouble = network_trouble("expired certificate", "the service must renew it",
                                   error_of_certificate("IP:127.0.0.1", -48h, true), "");
    trouble.cause = CauseKind::service;
    trouble.severity = Severity::info;
    trouble.next = "if it lasts, tell help@service.test";
    check_trouble(trouble);
}

TEST_CASE("staged trouble: the certificate belongs to another host")
{
    check_trouble(network_trouble("certificate of another host", "it belongs to another host",
                                  error_of_certificate("DNS:other.example", 0h, true),
                                  "check the host in base_url and auth_url, and what the proxy answers"));
}

TEST_CASE("staged trouble: nobody vouches for the certificate")
{
    check_trouble(network_trouble("unknown authority", "is not trusted",
                                  error_of_certificate("IP:127.0.0.1", 0h, false),
                                  "for a private authority, set ca_file, then: shelfctl reload"));
}

TEST_CASE("staged trouble: the name of the service cannot be resolved")
{
    check_trouble(network_trouble("DNS gone", "cannot resolve the host name of service.invalid",
                                  error_without_server("http://service.invalid/"),
                                  "check base_url and this machine's name servers"));
}

TEST_CASE("staged trouble: nobody listens at the address of the service")
{
    check_trouble(network_trouble("refused", "Connection refused", error_without_server("http://127.0.0.1:1/")));
}

TEST_CASE("staged trouble: the service accepts connections and says nothing")
{
    asio::io_context loop;
    ScriptedServer server(loop);
    server.play({steps::read_request(), steps::silence()});
    check_trouble(network_trouble("silence", "gave no answer within", error_of_request(loop, server.origin())));
}

TEST_CASE("staged trouble: the proxy refuses the tunnel")
{
    asio::io_context loop;
    ScriptedServer server(loop);
    server.play(
        {steps::read_request(), steps::send("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n"), steps::fin()});
    http::Route route;
    route.proxy = server.origin();
    check_trouble(network_trouble("proxy", "the proxy refused a tunnel",
                                  error_of_request(loop, "https://service.test/", route),
                                  "check the name and the password in proxy, then: shelfctl reload"));
}

TEST_CASE("staged trouble: an outage that lasts longer than the access tokens")
{
    DaemonOptions options;
    options.world.tokens.expires_in = 24h;
    auto trouble = network_trouble("long outage", "Connection refused", error_without_server("http://127.0.0.1:1/"));
    trouble.options = options;
    DaemonBench bench(options);
    bench.pass_time(20min);
    bench.calls.clear();
    trouble.stage(bench);
    bench.pass_time(40h);
    // The same incident becomes worse when no token works any more.
    std::map<std::string, int> events;
    for (const auto& call : bench.calls) {
        CHECK(call.text("cause") == "network");
        CHECK(call.text("incident") == bench.calls.front().text("incident"));
        ++events[call.text("event") + " " + call.text("severity")];
    }
    CHECK(events["opened ticket"] == 1);
    CHECK(events["escalated ticket"] == 0);
    CHECK(events["escalated page"] == 1);
    connect_again(bench);
    bench.pass_time(3h);
    CHECK(bench.calls.back().text("event") == "recovered");
    CHECK(bench.status().problems.empty());
}
