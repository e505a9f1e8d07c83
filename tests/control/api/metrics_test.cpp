#include "control/api/metrics.hpp"

#include "control/sample_status.hpp"
#include "support/catch.hpp"

#include <regex>
#include <set>
#include <sstream>

namespace shelfd::control {
namespace {

bool has_line(const std::string& text, const std::string& line)
{
    return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

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
    const auto text = to_metrics(status);
    for (const auto* line :
         {"shelfd_build_info{version=\"0.1.0\"} 1",
          "shelfd_start_timestamp_seconds 1704502800.000",
          "shelfd_resource_state{library=\"antwerp\",resource=\"recipes\",state=\"fresh\"} 1",
          "shelfd_resource_state{library=\"antwerp\",resource=\"recipes\",state=\"late\"} 0",
          "shelfd_resource_rows{library=\"ghent\",resource=\"recipes\"} 1200",
          "shelfd_resource_as_of_timestamp_seconds{library=\"ghent\",resource=\"recipes\"} 1704520710.000",
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
          "shelfd_resource_held_rows{library=\"antwerp\",resource=\"recipes\"} 3",
          "shelfd_library_snapshot_failed{library=\"antwerp\"} 0",
          "shelfd_library_snapshot_failed{library=\"ghent\"} 1",
          "shelfd_library_snapshot_timestamp_seconds{library=\"ghent\"} 1704520800.000",
          "shelfd_library_budget_limit{library=\"antwerp\"} 100",
          "shelfd_library_budget_foreign{library=\"antwerp\"} 7"}) {
        INFO(line);
        CHECK(has_line(text, line));
    }
    CHECK(text.find("budget_limit{library=\"ghent\"") == std::string::npos);
}

TEST_CASE("each metric is one family with one HELP and one TYPE before its samples")
{
    std::istringstream lines(to_metrics(fresh_status()));
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
    CHECK(has_line(to_metrics(status), "shelfd_build_info{version=\"1\\\"\\n\\\\x\"} 1"));
}

}  // namespace
}  // namespace shelfd::control
