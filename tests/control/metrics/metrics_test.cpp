#include "control/metrics/metrics.hpp"

#include "control/sample_status.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

#include <functional>
#include <regex>
#include <set>
#include <sstream>

namespace shelfd::control {
namespace {

bool has_line(const std::string& text, const std::string& line)
{
    return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

std::string everything(const Status& status)
{
    return to_metrics(status, {}, MetricsScope::everything());
}

std::string brief(const Status& status)
{
    return to_metrics(status, {}, MetricsScope());
}

std::size_t series_of(const std::string& text, const std::string& metric)
{
    std::size_t found = 0;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        found += line.starts_with(metric + "{") || line.starts_with(metric + " ") ? 1 : 0;
    }
    return found;
}

// As large as issue reports have named: 300 libraries of 20 tables.
Status large_status()
{
    std::vector<LibraryStatus> libraries;
    for (int library = 0; library < 300; ++library) {
        std::vector<ResourceStatus> resources;
        for (int resource = 0; resource < 20; ++resource) {
            resources.push_back(sample_resource(fmt::format("resource_{:02}", resource), State::fresh));
        }
        auto& one = libraries.emplace_back(sample_library(fmt::format("library_{:03}", library), resources));
        one.token.journal_copies = 2;
        one.token.refresh_attempts = 4'711;
        one.budget.requests = 12'345'678;
        one.budget.foreign = 0;
        one.token.refreshes = {{"granted", 3}, {"unclear", 0}};
    }
    return sample_status(std::move(libraries));
}

constexpr std::size_t max_scrape = 300 << 10;

TEST_CASE("metrics are in base units, labelled by library and resource")
{
    auto status = fresh_status();
    auto& token = status.libraries[0].token;
    token.refreshes = {{"granted", 3}, {"unclear", 0}};
    token.refresh_attempts = 4;
    token.answer_to_durable = {{{std::chrono::microseconds(500), 0}, {std::chrono::milliseconds(20), 3}},
                               4,
                               std::chrono::microseconds(61'500)};
    status.libraries[1].budget.limit = std::nullopt;
    status.libraries[0].requests = {{"recipes", "page", 12}, {"", "canary", 2}};
    status.libraries[0].resources[0].held = 3;
    status.libraries[1].snapshot = {sample_now, "the disk is full", sample_now};
    const auto text = everything(status);
    for (const auto* line :
         {"shelfd_build_info{version=\"0.1.0\"} 1",
          "shelfd_start_timestamp_seconds 1704502800",
          "shelfd_resource_state{library=\"antwerp\",resource=\"recipes\",state=\"fresh\"} 1",
          "shelfd_resource_rows{library=\"ghent\",resource=\"recipes\"} 1200",
          "shelfd_resource_as_of_timestamp_seconds{library=\"ghent\",resource=\"recipes\"} 1704520710",
          "shelfd_token_refreshes_total{library=\"antwerp\",outcome=\"granted\"} 3",
          "shelfd_token_refreshes_total{library=\"antwerp\",outcome=\"unclear\"} 0",
          "shelfd_token_refresh_attempts_total{library=\"antwerp\"} 4",
          "shelfd_token_answer_to_durable_seconds_bucket{library=\"antwerp\",le=\"0.0005\"} 0",
          "shelfd_token_answer_to_durable_seconds_bucket{library=\"antwerp\",le=\"0.02\"} 3",
          "shelfd_token_answer_to_durable_seconds_bucket{library=\"antwerp\",le=\"+Inf\"} 4",
          "shelfd_token_answer_to_durable_seconds_sum{library=\"antwerp\"} 0.061500",
          "shelfd_token_answer_to_durable_seconds_count{library=\"antwerp\"} 4",
          "shelfd_requests_total{library=\"antwerp\",resource=\"recipes\",reason=\"page\"} 12",
          "shelfd_requests_total{library=\"antwerp\",resource=\"\",reason=\"canary\"} 2",
          "shelfd_library_requests_total{library=\"antwerp\"} 14",
          "shelfd_resource_held_rows{library=\"antwerp\",resource=\"recipes\"} 3",
          "shelfd_library_snapshot_failed{library=\"antwerp\"} 0",
          "shelfd_library_snapshot_failed{library=\"ghent\"} 1",
          "shelfd_library_snapshot_timestamp_seconds{library=\"ghent\"} 1704520800",
          "shelfd_library_budget_limit{library=\"antwerp\"} 100",
          "shelfd_library_budget_foreign{library=\"antwerp\"} 7"}) {
        INFO(line);
        CHECK(has_line(text, line));
    }
    CHECK(text.find("budget_limit{library=\"ghent\"") == std::string::npos);
}

TEST_CASE("each metric is one family with one HELP and one TYPE before its samples")
{
    std::istringstream lines(everything(fresh_status()));
    const std::regex sample("([a-z_]+)(\\{[a-z_]+=\"[^\"]*\"(,[a-z_]+=\"[^\"]*\")*\\})? [0-9]+(\\.[0-9]+)?");
    std::set<std::string> families;
    std::string current;
    std::string line;
    while (std::getline(lines, line)) {
        INFO(line);
        if (line.starts_with("# HELP ")) {
            current = line.substr(7, line.find(' ', 7) - 7);
            CHECK(families.insert(current).second);
            continue;
        }
        if (line.starts_with("# TYPE ")) {
            CHECK(line.substr(7).starts_with(current + " "));
            const bool is_histogram = current == "shelfd_token_answer_to_durable_seconds";
            CHECK(line.ends_with(current.ends_with("_total") ? " counter" : is_histogram ? " histogram" : " gauge"));
            continue;
        }
        std::smatch match;
        REQUIRE(std::regex_match(line, match, sample));
        CHECK(std::regex_replace(match[1].str(), std::regex("_(bucket|sum|count)$"), "") == current);
    }
    CHECK(families.size() > 15);
}

TEST_CASE("what a label holds cannot break the line")
{
    auto status = fresh_status();
    status.version = "1\"\n\\x";
    CHECK(has_line(brief(status), "shelfd_build_info{version=\"1\\\"\\n\\\\x\"} 1"));
}

TEST_CASE("a scrape of 300 libraries with 20 tables each is smaller than 300 KiB, also when all are in trouble")
{
    struct Row {
        const char* name;
        std::function<void(LibraryStatus&, int)> change;
        std::size_t named;
    };
    const std::vector<Row> rows = {
        {"all is fresh", [](LibraryStatus&, int) {}, 0},
        {"a table in a dozen is late",
         [](LibraryStatus& library, int number) {
             if (number % 3 != 0) {
                 library.resources[0].state = State::late;
                 library.resources[1].state = State::late;
             }
         },
         400},
        {"the service is down",
         [](LibraryStatus& library, int) {
             library.budget.paused_until = sample_now + std::chrono::minutes(7);
             for (auto& resource : library.resources) {
                 resource.state = State::late;
             }
         },
         0},
        {"every token set is revoked, and no two tables next to each other are in the same state",
         [](LibraryStatus& library, int) {
             library.token.state = TokenState::foreign;
             library.token.needs_person = true;
             library.token.deadline = sample_now + std::chrono::hours(3);
             for (std::size_t i = 0; i < library.resources.size(); ++i) {
                 library.resources[i].state = i % 2 == 0 ? State::late : i % 3 == 0 ? State::held : State::fresh;
             }
         },
         0},
    };
    for (const auto& row : rows) {
        INFO(row.name);
        auto status = large_status();
        for (std::size_t i = 0; i < status.libraries.size(); ++i) {
            row.change(status.libraries[i], static_cast<int>(i));
        }
        const auto text = brief(status);
        INFO(text.size() << " bytes");
        CHECK(text.size() < max_scrape);
        CHECK(series_of(text, "shelfd_library_state") == 300);
        CHECK(series_of(text, "shelfd_resource_state") == row.named);
    }
}

TEST_CASE("a table that is not fresh is named, in one series with its state")
{
    auto status = fresh_status();
    status.libraries[0].resources[1].state = State::held;
    status.libraries[1].resources[0].state = State::paused;
    const auto text = brief(status);
    CHECK(has_line(text, "shelfd_resource_state{library=\"antwerp\",resource=\"stock\",state=\"held\"} 1"));
    CHECK(series_of(text, "shelfd_resource_state") == 1);
    CHECK(has_line(text, "shelfd_resource_states_complete 1"));
    CHECK(has_line(text, "shelfd_library_state{library=\"antwerp\",state=\"held\"} 1"));
    CHECK(has_line(text, "shelfd_library_resources{library=\"antwerp\",state=\"fresh\"} 1"));
    CHECK(has_line(text, "shelfd_tables{resource=\"recipes\",state=\"paused\"} 1"));
    CHECK(has_line(text, "shelfd_table_rows{resource=\"recipes\"} 2400"));
}

TEST_CASE("when too many tables are not fresh, the scrape says that it does not name them")
{
    auto status = large_status();
    for (auto& library : status.libraries) {
        library.resources[0].state = State::late;
        library.resources[1].state = State::late;
    }
    const auto text = brief(status);
    CHECK(has_line(text, "shelfd_resource_states_complete 0"));
    CHECK(series_of(text, "shelfd_resource_state") == 0);
    CHECK(has_line(text, "shelfd_tables{resource=\"resource_00\",state=\"late\"} 300"));
}

TEST_CASE("details are written for the libraries that the scrape asks for")
{
    const auto status = fresh_status();
    const auto scope = MetricsScope::parse("detail=ghent");
    REQUIRE(scope);
    const auto text = to_metrics(status, {}, *scope);
    CHECK(has_line(text, "shelfd_resource_rows{library=\"ghent\",resource=\"recipes\"} 1200"));
    CHECK(text.find("shelfd_resource_rows{library=\"antwerp\"") == std::string::npos);
    CHECK(has_line(text, "shelfd_resource_state{library=\"ghent\",resource=\"recipes\",state=\"fresh\"} 1"));
    CHECK(has_line(text, "shelfd_library_token_needs_person{library=\"ghent\"} 0"));
    CHECK(series_of(text, "shelfd_library_token_needs_person") == 1);
    CHECK(MetricsScope::parse("detail=all")->has_details("anything"));
    CHECK_FALSE(MetricsScope::parse("")->has_details("ghent"));
    CHECK(MetricsScope::parse("detail=ghent&detail=antwerp")->has_details("antwerp"));
    CHECK_FALSE(MetricsScope::parse("detail"));
    CHECK_FALSE(MetricsScope::parse("detial=ghent"));
}

TEST_CASE("a series of trouble is there while there is trouble")
{
    auto status = fresh_status();
    auto& library = status.libraries[0];
    library.token.needs_person = true;
    library.token.state = TokenState::lost;
    library.token.journal_copies = 1;
    library.bug = BugStatus{"a task: text", sample_now, 1, sample_now, ""};
    library.snapshot.trouble = "the disk is full";
    library.budget.paused_until = sample_now + std::chrono::minutes(5);
    status.libraries[1].token.journal_copies = 2;
    const auto text = brief(status);
    for (const auto* line :
         {"shelfd_library_token_needs_person{library=\"antwerp\"} 1",
          "shelfd_library_token_state{library=\"antwerp\",state=\"lost\"} 1",
          "shelfd_library_token_journal_copies{library=\"antwerp\"} 1", "shelfd_library_bug{library=\"antwerp\"} 1",
          "shelfd_library_state{library=\"antwerp\",state=\"bug\"} 1",
          "shelfd_library_snapshot_failed{library=\"antwerp\"} 1",
          "shelfd_library_budget_paused_until_timestamp_seconds{library=\"antwerp\"} 1704521100"}) {
        INFO(line);
        CHECK(has_line(text, line));
    }
    for (const auto* metric : {"token_needs_person", "token_journal_copies", "bug", "snapshot_failed"}) {
        INFO(metric);
        CHECK(text.find(std::string("shelfd_library_") + metric + "{library=\"ghent\"") == std::string::npos);
    }
}

TEST_CASE("open incidents and waiting calls of hooks are metrics")
{
    AlertReport alerts;
    alerts.hooks.resize(1);
    alerts.hooks[0].name = "chat";
    alerts.hooks[0].waiting = 3;
    alerts.hooks[0].trouble = "the address answered 500";
    alerts.incidents.resize(2);
    alerts.incidents[0].severity = "page";
    alerts.incidents[1].severity = "page";
    alerts.dropped = 1;
    const auto text = to_metrics(fresh_status(), alerts, MetricsScope());
    for (const auto* line : {"shelfd_incidents{severity=\"page\"} 2", "shelfd_incidents{severity=\"ticket\"} 0",
                             "shelfd_hook_calls_waiting{hook=\"chat\"} 3", "shelfd_hook_failing{hook=\"chat\"} 1",
                             "shelfd_hook_calls_dropped_total 1"}) {
        INFO(line);
        CHECK(has_line(text, line));
    }
}

}  // namespace
}  // namespace shelfd::control
