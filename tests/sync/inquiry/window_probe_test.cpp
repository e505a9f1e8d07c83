#include "support/catch.hpp"
#include "sync/inquiry/window_probe.hpp"

#include <fmt/format.h>

namespace shelfd::sync {
namespace {

using std::chrono::hours;

// A ledger of 1,500 lines, ten a day; its parameters work or not.
struct Ledger {
    bool has_from = true;
    bool has_to = true;
    bool has_order = true;
    std::string field = "date";
    bool one_day = false;  // of the page in the service's own order
    std::vector<std::string> asked = {};

    static std::string items(const std::string& field, const std::string& from, const std::string& to)
    {
        return fmt::format(R"([{{"id":1,"{0}":"{1}"}},{{"id":2,"{0}":"{2}"}}])", field, from, to);
    }

    Result<http::Response> answer(const std::string& target)
    {
        asked.push_back(target);
        const auto has = [&](const std::string& part) { return target.find(part) != std::string::npos; };
        const bool is_from = has_from && has(field + "__gte=");
        const bool is_to = has_to && has(field + "__lt=");
        const auto rows = is_from || is_to ? std::string("[]")
                          : has_order && has("ordering=" + field)
                              ? items(field, "2023-03-01", "2023-03-04")
                              : items(field, one_day ? "2026-01-30" : "2026-01-31", "2026-01-30");
        http::Response response;
        response.status = 200;
        response.body =
            fmt::format(R"({{"count":1500,"next":"https://api.example.com/s/?page=2","results":{}}})", rows);
        return response;
    }

    std::optional<ListFindings::Window> probe(std::uint64_t rows = 1500)
    {
        config::Service service;
        service.base_url = "https://api.example.com";
        ListFindings findings;
        findings.path = "/s/";
        findings.envelope = Envelope::counted;
        findings.count = rows;
        findings.page_items = findings.page_rows = 200;
        findings.more = rows > 200;
        findings.event_times = {{field, true, "2026-01-30", "2026-01-31"}, {"other", true, "2026-01-30", "2026-01-31"}};
        const auto now = *Instant::from_rfc3339("2026-02-01T00:00:00Z");
        WindowProbe probe(service, findings, now, now + hours(87'600));
        for (auto target = probe.next(); target; target = probe.next()) {
            REQUIRE(asked.size() < WindowProbe::max_requests);
            probe.hear(answer(*target));
        }
        CHECK(probe.requests() == asked.size());
        return probe.window();
    }
};

TEST_CASE("a ledger whose parameters work is proposed with its first day and a step that fits a page")
{
    Ledger ledger;
    const auto window = ledger.probe();
    REQUIRE(window);
    CHECK(window->from == "date__gte");
    CHECK(window->to == "date__lt");
    CHECK(window->field == "date");
    CHECK(window->since == "2023-03-01");
    CHECK(window->is_oldest);
    CHECK(window->step == hours(24 * 30));  // 1,500 rows in 1,068 days
    CHECK(ledger.asked.size() == 3);
    Ledger busy;
    CHECK(busy.probe(1'000'000)->step == hours(24));
}

TEST_CASE("parameters that are ignored are never proposed")
{
    for (const bool from : {false, true}) {
        Ledger ledger{.has_from = from, .has_to = false};
        INFO(from);
        CHECK_FALSE(ledger.probe());
        CHECK(ledger.asked.size() <= WindowProbe::max_requests);
    }
}

TEST_CASE("without an order, the first day is a guess before all known rows, and says so")
{
    Ledger ledger{.has_order = false};
    const auto window = ledger.probe();
    REQUIRE(window);
    CHECK_FALSE(window->is_oldest);
    CHECK(window->since == "2026-01-01");
}

TEST_CASE("an order that is ignored does not show the first day, even if all rows of a page have one day")
{
    Ledger ledger{.has_order = false};
    ledger.one_day = true;
    const auto window = ledger.probe();
    REQUIRE(window);
    CHECK_FALSE(window->is_oldest);
}

TEST_CASE("a short list costs no request")
{
    Ledger ledger;
    CHECK_FALSE(ledger.probe(150));
    CHECK_FALSE(ledger.probe(450));
    CHECK(ledger.asked.empty());
}

}  // namespace
}  // namespace shelfd::sync
