#include "app/troubles/staged_trouble.hpp"

#include "support/catch.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <algorithm>

namespace shelfd {
namespace {

using namespace std::chrono_literals;

namespace json = boost::json;

std::vector<DaemonBench::Call> calls_of(const DaemonBench& bench, const std::string& cause)
{
    std::vector<DaemonBench::Call> found;
    std::copy_if(bench.calls.begin(), bench.calls.end(), std::back_inserter(found),
                 [&](const auto& call) { return call.text("cause") == cause; });
    return found;
}

std::size_t count_events(const std::vector<DaemonBench::Call>& calls, const std::string& event)
{
    return static_cast<std::size_t>(
        std::count_if(calls.begin(), calls.end(), [&](const auto& call) { return call.text("event") == event; }));
}

std::string describe_calls(const DaemonBench& bench)
{
    std::string text;
    for (const auto& call : bench.calls) {
        text += call.at.to_short_text() + " " + call.text("event") + " " + call.text("text") + "\n";
    }
    return text;
}

// A sentence that was broken into lines.
std::string one_line(const std::string& text)
{
    std::string line;
    for (const char c : text) {
        if (c != '\n' && c != ' ') {
            line += c;
        } else if (!line.empty() && line.back() != ' ') {
            line += ' ';
        }
    }
    return line;
}

bool holds(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

const json::object* problem_of(const json::array& problems, std::string_view cause)
{
    for (const auto& one : problems) {
        if (one.as_object().at("cause").as_string() == cause) {
            return &one.as_object();
        }
    }
    return nullptr;
}

std::string text_of(const json::object& object, const char* name)
{
    const auto& value = object.at(name);
    return value.is_string() ? std::string(value.get_string()) : "";
}

bool is_expected(const StagedTrouble& trouble, const std::string& cause)
{
    return cause == to_string(trouble.cause) || std::any_of(trouble.beside.begin(), trouble.beside.end(),
                                                            [&](auto kind) { return to_string(kind) == cause; });
}

void check_json(const StagedTrouble& trouble, const DaemonBench& bench)
{
    const auto document = json::parse(bench.json());
    const auto& problems = document.at("problems").as_array();
    const auto* const problem = problem_of(problems, to_string(trouble.cause));
    REQUIRE(problem != nullptr);
    INFO(json::serialize(*problem));
    CHECK_FALSE(problem->at("since").is_null());
    CHECK_FALSE(problem->at("incident").is_null());
    const auto& affected = problem->at("affected").as_array().front().as_object();
    CHECK(holds(text_of(affected, "why"), trouble.why));
    CHECK(holds(text_of(affected, "do_this"), trouble.cure));
    const bool says_next = !affected.at("next_try").is_null() || !text_of(affected, "next").empty();
    CHECK(says_next);
    CHECK(affected.at("deadline").is_null() == (trouble.deadline == StagedTrouble::Deadline::none));
    for (const auto& one : problems) {
        CHECK(is_expected(trouble, text_of(one.as_object(), "cause")));
    }
}

void check_screen(const StagedTrouble& trouble, const DaemonBench& bench)
{
    const auto screen = one_line(bench.screen());
    INFO(bench.screen());
    CHECK(holds(screen, one_line(trouble.why)));
    CHECK(holds(screen, trouble.cure));
    CHECK(holds(screen, trouble.next));
    CHECK(holds(screen, "since "));
    if (*trouble.cure == '\0') {
        CHECK(holds(screen, "nothing to do"));
    }
    for (const auto& table : trouble.tables) {
        CHECK(holds(screen, table));
    }
    // Where nobody has to act yet, and all tables are fresh, a script goes on.
    CHECK((control::exit_code(bench.status()) != ExitCode::done) ==
          (trouble.severity != control::Severity::info || *trouble.cure != '\0'));
}

void check_first_call(const StagedTrouble& trouble, const DaemonBench::Call& call)
{
    CHECK(call.text("event") == "opened");
    CHECK(call.text("severity") == to_string(trouble.severity));
    CHECK(call.text("who") == who_can_act(trouble.cause));
    CHECK(holds(call.text("why"), trouble.why));
    CHECK(holds(call.text("do"), trouble.cure));
    CHECK(call.has("since"));
    CHECK(call.has("deadline") == (trouble.deadline == StagedTrouble::Deadline::set));
}

void check_end(const StagedTrouble& trouble, DaemonBench& bench)
{
    const std::string cause(to_string(trouble.cause));
    const auto is_over = [&] { return count_events(calls_of(bench, cause), "recovered") > 0; };
    trouble.mend(bench);
    for (Duration passed{0}; passed < trouble.over && !is_over(); passed += 1min) {
        bench.pass_time(1min);
    }
    bench.pass_time(2h);
    INFO(bench.screen());
    INFO(describe_calls(bench));
    const auto calls = calls_of(bench, cause);
    CHECK(count_events(calls, "opened") == 1);
    REQUIRE(count_events(calls, "recovered") == 1);
    const auto& last = calls.back();
    CHECK(last.text("event") == "recovered");
    CHECK(last.text("incident") == calls.front().text("incident"));
    CHECK(last.has("recovered_at"));
    const auto status = bench.status();
    // What was repaired stays in the status for a day.
    CHECK(std::all_of(status.problems.begin(), status.problems.end(), [](const auto& one) { return one.momentary; }));
    CHECK(control::exit_code(status) == ExitCode::done);
    for (const auto& call : bench.calls) {
        CHECK(is_expected(trouble, call.text("cause")));
    }
}

}  // namespace

void check_trouble(const StagedTrouble& trouble)
{
    INFO(trouble.name);
    const std::string cause(to_string(trouble.cause));
    DaemonBench bench(trouble.options);
    bench.pass_time(20min);
    {
        INFO(bench.screen());
        REQUIRE(bench.status().problems.empty());
        REQUIRE(control::exit_code(bench.status()) == ExitCode::done);
    }
    bench.calls.clear();
    trouble.stage(bench);
    for (Duration passed{0}; passed < trouble.within && calls_of(bench, cause).empty(); passed += 15s) {
        bench.pass_time(15s);
    }
    INFO(bench.screen());
    INFO(describe_calls(bench));
    REQUIRE_FALSE(calls_of(bench, cause).empty());
    check_first_call(trouble, calls_of(bench, cause).front());
    if (trouble.lasting == StagedTrouble::Lasting::momentary) {
        bench.pass_time(6h);
        CHECK(calls_of(bench, cause).size() == 1);
        return;
    }
    check_json(trouble, bench);
    check_screen(trouble, bench);
    bench.pass_time(trouble.stays);
    CHECK(count_events(calls_of(bench, cause), "opened") == 1);
    check_end(trouble, bench);
}

}  // namespace shelfd
