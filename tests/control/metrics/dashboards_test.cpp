// The alert rules and the dashboard in contrib/, compared with what the daemon writes.
#include "control/metrics/metrics.hpp"
#include "control/sample_status.hpp"
#include "support/catch.hpp"
#include "support/process.hpp"
#include "support/temp_directory.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include <functional>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include <unistd.h>

namespace shelfd::control {
namespace {

namespace json = boost::json;

std::string contrib(const std::string& name)
{
    return std::string(SHELFD_SOURCE_DIR) + "/contrib/" + name;
}

using Names = std::set<std::string>;

// A daemon in all kinds of trouble: every metric has a series.
Status troubled_status()
{
    auto status = fresh_status();
    auto& library = status.libraries[0];
    library.bug = BugStatus{"a task: text", sample_now, 1, sample_now, ""};
    library.token.needs_person = true;
    library.token.deadline = sample_now;
    library.token.last_refresh = sample_now;
    library.token.refreshes = {{"granted", 1}};
    library.token.journal_copies = 1;
    library.budget.paused_until = sample_now;
    library.snapshot = {sample_now, "the disk is full", sample_now};
    library.requests = {{"recipes", "page", 12}};
    library.resources[0].state = State::late;
    library.resources[1].detail = DetailStatus{0.5, 3, 0, sample_now};
    return status;
}

AlertReport some_alerts()
{
    AlertReport alerts;
    alerts.hooks.resize(1);
    alerts.hooks[0].name = "mail";
    return alerts;
}

// The labels of each metric.
std::map<std::string, Names> labels_by_metric(const std::string& text)
{
    std::map<std::string, Names> metrics;
    std::istringstream lines(text);
    const std::regex label("([a-z_]+)=\"");
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with('#')) {
            continue;
        }
        auto& labels = metrics[line.substr(0, line.find_first_of("{ "))];
        for (std::sregex_iterator at(line.begin(), line.end(), label), end; at != end; ++at) {
            labels.insert((*at)[1]);
        }
    }
    return metrics;
}

// Every value of a member of that name, at any depth.
void collect(const json::value& value, std::string_view member, std::vector<std::string>& found)
{
    if (const auto* object = value.if_object()) {
        for (const auto& [name, inner] : *object) {
            if (name == member && inner.is_string()) {
                found.emplace_back(inner.get_string());
            }
            collect(inner, member, found);
        }
    } else if (const auto* array = value.if_array()) {
        for (const auto& inner : *array) {
            collect(inner, member, found);
        }
    }
}

std::vector<std::string> dashboard_queries()
{
    boost::system::error_code error;
    const auto document = json::parse(read_file(contrib("grafana/shelfd.json")), error);
    REQUIRE_FALSE(error);
    std::vector<std::string> queries;
    collect(document, "expr", queries);
    collect(document, "definition", queries);
    return queries;
}

std::vector<std::string> rule_queries()
{
    std::vector<std::string> queries;
    std::istringstream lines(read_file(contrib("prometheus/shelfd.rules.yml")));
    const std::string key = "        expr: ";
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with(key)) {
            queries.push_back(line.substr(key.size()));
        }
    }
    return queries;
}

bool is_state(const std::string& word)
{
    return word == "bug" || parse_table_state(word).has_value();
}

// What a scraper adds itself.
bool has_label(const Names& labels, const std::string& label)
{
    return labels.contains(label) || label == "instance" || label == "job";
}

// The metrics in a query, with the labels that it selects and groups by; what it names and the daemon does not write.
std::vector<std::string> unknown_parts(const std::string& query, const std::map<std::string, Names>& metrics)
{
    std::vector<std::string> unknown;
    Names of_all;
    const std::regex selector("(shelfd_[a-z_]+)(\\{[^}]*\\})?");
    const std::regex matcher("([a-z_]+)(=~|!=|!~|=)\"([^\"]*)\"");
    for (std::sregex_iterator at(query.begin(), query.end(), selector), end; at != end; ++at) {
        const auto metric = metrics.find((*at)[1]);
        if (metric == metrics.end()) {
            unknown.push_back((*at)[1]);
            continue;
        }
        of_all.insert(metric->second.begin(), metric->second.end());
        const auto matchers = (*at)[2].str();
        for (std::sregex_iterator one(matchers.begin(), matchers.end(), matcher); one != end; ++one) {
            if (!has_label(metric->second, (*one)[1])) {
                unknown.push_back(metric->first + "." + (*one)[1].str());
            }
            std::istringstream words((*one)[3].str());
            for (std::string word; (*one)[1] == "state" && std::getline(words, word, '|');) {
                if (!is_state(word)) {
                    unknown.push_back("state " + word);
                }
            }
        }
    }
    const std::regex grouping("\\b(?:by|on|without) ?\\(([^)]*)\\)");
    for (std::sregex_iterator at(query.begin(), query.end(), grouping), end; at != end; ++at) {
        std::istringstream words((*at)[1].str());
        for (std::string word; std::getline(words >> std::ws, word, ',');) {
            if (!has_label(of_all, word)) {
                unknown.push_back("by " + word);
            }
        }
    }
    return unknown;
}

TEST_CASE("the daemon writes every metric and label that alert rules and dashboard use")
{
    const auto metrics = labels_by_metric(to_metrics(troubled_status(), some_alerts(), MetricsScope::everything()));
    for (const auto& [queries, fewest] : {std::pair(rule_queries(), 15U), std::pair(dashboard_queries(), 18U)}) {
        CHECK(queries.size() >= fewest);
        for (const auto& query : queries) {
            INFO(query);
            CHECK(unknown_parts(query, metrics).empty());
        }
    }
    CHECK(unknown_parts("shelfd_library_rows > 0", metrics) == std::vector<std::string>{"shelfd_library_rows"});
    CHECK(unknown_parts("shelfd_notices{library=\"x\"}", metrics) ==
          std::vector<std::string>{"shelfd_notices.library"});
    CHECK(unknown_parts("sum by (hook) (shelfd_library_state{state=\"latish\"})", metrics) ==
          std::vector<std::string>{"state latish", "by hook"});
}

TEST_CASE("alert rules need no details, only what every scrape has")
{
    const auto metrics = labels_by_metric(to_metrics(troubled_status(), some_alerts(), MetricsScope()));
    for (const auto& query : rule_queries()) {
        INFO(query);
        CHECK(unknown_parts(query, metrics).empty());
    }
}

TEST_CASE("promtool finds no fault in the metrics and the alert rules, and the rules do what their tests say")
{
    const auto* const named = std::getenv("SHELFD_PROMTOOL");
    const std::string promtool = named != nullptr ? named : "/usr/bin/promtool";
    if (::access(promtool.c_str(), X_OK) != 0) {
        WARN("needs promtool: apt-get install prometheus, or name it in SHELFD_PROMTOOL");
        return;
    }
    for (const auto& scope : {MetricsScope(), MetricsScope::everything()}) {
        const auto checked =
            run_program({promtool, "check", "metrics"}, {}, to_metrics(troubled_status(), some_alerts(), scope));
        INFO(checked.out << checked.err);
        CHECK(checked.code == 0);
        CHECK(checked.err.empty());
    }
    for (const auto& arguments :
         {std::vector<std::string>{"check", "rules", contrib("prometheus/shelfd.rules.yml")},
          std::vector<std::string>{"test", "rules", contrib("prometheus/shelfd.rules.test.yml")}}) {
        std::vector<std::string> argv{promtool};
        argv.insert(argv.end(), arguments.begin(), arguments.end());
        const auto checked = run_program(argv);
        INFO(checked.out << checked.err);
        CHECK(checked.code == 0);
    }
}

}  // namespace
}  // namespace shelfd::control
