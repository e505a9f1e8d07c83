// The faults of the script, and what of them can be seen from outside.
#include "sim/json.hpp"
#include "sim_wire/raw_client.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

#include <deque>

namespace shelfd::sim {

namespace {

const std::string identity = "/api/v2/accounts/libraries/current/";

struct Stand {
    Stand()
    {
        ServerOptions options;
        options.world.libraries = 2;
        options.world.rows = 5;
        server = Server::start(std::move(options)).value();
        first = server->view_set("lib01");
    }
    void add(std::string_view text) const { server->world()->faults.add(fault_from(parse_json(text).value()).value()); }
    std::string refresh_request() const
    {
        auto& library = server->world()->library("lib01");
        return post_form("/oauth/token/", fmt::format("grant_type=refresh_token&refresh_token={}&client_id={}"
                                                      "&client_secret={}",
                                                      first.refresh_token, library.client_id, library.client_secret));
    }
    std::size_t generation() const { return server->view_set("lib01").generation; }
    std::string identity_request() const { return get(identity, {bearer(first.access_token)}); }

    std::unique_ptr<Server> server;
    SetView first;
};

}  // namespace

TEST_CASE("a refresh can be cut at every place, before and after it acted")
{
    struct Case {
        const char* name;
        const char* fault;
        std::size_t generation;
        std::string begin;  // what arrives begins like this
        std::string end;    // and ends like this
    };
    const std::vector<Case> rows{
        {"before it acted", R"({"path":"/oauth/token/","cut":"before"})", 1, "", ""},
        {"after it acted, no byte", R"({"path":"/oauth/token/","cut":"after"})", 2, "", ""},
        {"inside the header", R"({"path":"/oauth/token/","cut":"header","bytes":15})", 2, "HTTP/1.1 200 OK", "OK"},
        {"inside the body", R"({"path":"/oauth/token/","cut":"body","bytes":17})", 2, "HTTP/1.1 200 OK\r\n",
         "\r\n\r\n{\"access_token\": "},
        {"502 instead, not acted", R"({"path":"/oauth/token/","status":502,"cut":"body","bytes":6})", 1,
         "HTTP/1.1 502 Bad Gateway", "\r\n\r\n<html>"},
        {"502 instead, acted", R"({"path":"/oauth/token/","status":502,"acts":true,"cut":"body","bytes":6})", 2,
         "HTTP/1.1 502 Bad Gateway", "\r\n\r\n<html>"},
    };
    for (const auto& row : rows) {
        INFO(row.name);
        const Stand stand;
        stand.add(row.fault);
        RawClient client(*stand.server);
        client.send(stand.refresh_request());
        const auto arrived = client.receive_until_end();
        CHECK(arrived.starts_with(row.begin));
        CHECK(arrived.ends_with(row.end));
        CHECK(arrived.empty() == row.end.empty());
        CHECK_FALSE(client.ended_by_reset());
        CHECK(stand.generation() == row.generation);
        CHECK(stand.server->audit_report().token_posts == 1);
    }
}

TEST_CASE("a cut may be a reset")
{
    const Stand stand;
    stand.add(R"({"path":"/oauth/","cut":"after","reset":true})");
    RawClient client(*stand.server);
    client.send(stand.refresh_request());
    CHECK(client.receive_until_end().empty());
    CHECK(client.ended_by_reset());
    CHECK(stand.generation() == 2);
}

TEST_CASE("a refresh that its client gave up is carried out all the same")
{
    const Stand stand;
    stand.add(R"({"path":"/oauth/token/","delay_ms":100})");
    {
        RawClient impatient(*stand.server);
        impatient.send(stand.refresh_request());
    }
    // The service is asked until the visit has ended; the server's own delay is what passes the time.
    RawClient witness(*stand.server);
    while (stand.server->audit_report().refreshes == 0) {
        witness.send(stand.identity_request());
        witness.receive();
    }
    CHECK(stand.generation() == 2);
}

TEST_CASE("a fault is taken as often as it says, by whom it names, and is then gone")
{
    const Stand stand;
    stand.add(R"({"path":"/api/","skip":1,"times":2,"status":503,"headers":{"Retry-After":"7"}})");
    std::vector<int> statuses;
    for (int turn = 0; turn < 4; ++turn) {
        const auto answer = answer_to(*stand.server, stand.identity_request());
        statuses.push_back(answer.status());
        CHECK(answer.header("Retry-After") == (answer.status() == 503 ? "7" : ""));
    }
    CHECK(statuses == std::vector<int>{200, 503, 503, 200});
    CHECK(stand.server->world()->faults.pending() == 0);
    stand.add(R"({"path":"/api/","library":"lib02","status":500,"times":"forever"})");
    CHECK(answer_to(*stand.server, stand.identity_request()).status() == 200);
    const auto other = stand.server->view_set("lib02").access_token;
    CHECK(answer_to(*stand.server, get(identity, {bearer(other)})).status() == 500);
    CHECK(answer_to(*stand.server, get(identity, {bearer(other)})).status() == 500);
}

TEST_CASE("HTML with 200, another body, chunks and drops arrive as scripted")
{
    const Stand stand;
    stand.add(R"({"path":"/api/","status":200,"html":true})");
    const auto html = answer_to(*stand.server, stand.identity_request());
    CHECK(html.status() == 200);
    CHECK(html.header("Content-Type") == "text/html");
    stand.add(R"({"path":"/api/","body":"{\"id\":42,"})");
    const auto broken = answer_to(*stand.server, stand.identity_request());
    CHECK(broken.body == "{\"id\":42,");
    CHECK(broken.header("Content-Type") == "application/json");
    stand.add(R"({"path":"/api/","chunked":true,"cut":"body","bytes":4})");
    RawClient chunked(*stand.server);
    chunked.send(stand.identity_request());
    const auto bytes = chunked.receive_until_end();
    CHECK(bytes.find("\r\nTransfer-Encoding: chunked\r\n") != std::string::npos);
    CHECK(bytes.find("Content-Length") == std::string::npos);
    stand.add(R"({"path":"/api/","drip_bytes":5,"drip_ms":1})");
    CHECK(answer_to(*stand.server, stand.identity_request()).body == R"({"id":42,"name":"Kitchen Antwerp"})");
}

TEST_CASE("a fault that is misspelt is refused, not ignored")
{
    struct Case {
        const char* fault;
        const char* complaint;
    };
    const std::vector<Case> rows{
        {R"({"pth":"/api/"})", "\"pth\" is not known here"},
        {R"({"status":"502"})", "\"status\" must be a whole number, 0 or more"},
        {R"({"cut":"middle"})", "\"cut\" must be \"before\", \"after\", \"header\" or \"body\""},
        {R"({"times":0})", "\"times\" must be at least 1, or \"forever\""},
        {R"([])", "a JSON object is wanted"}};
    for (const auto& row : rows) {
        INFO(row.fault);
        const auto fault = fault_from(parse_json(row.fault).value());
        REQUIRE_FALSE(fault);
        CHECK(fault.error().text() == row.complaint);
    }
}

TEST_CASE("the audit counts what was in flight together")
{
    const Stand stand;
    stand.add(R"({"path":"/api/","times":3,"delay_ms":50})");
    std::deque<RawClient> clients;
    for (int number = 0; number < 3; ++number) {
        clients.emplace_back(*stand.server).send(stand.identity_request());
    }
    for (auto& client : clients) {
        CHECK(client.receive().status() == 200);
    }
    const auto report = stand.server->audit_report();
    CHECK(report.peak_in_flight >= 2);
    CHECK(report.count("GET", identity, "lib01", 1, 200) == 3);
    CHECK(report.busiest_minute.at("lib01") == 3);
    CHECK(report.in_flight == 0);
}

}  // namespace shelfd::sim
