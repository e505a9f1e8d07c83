#include "control/api/refusal_log.hpp"

#include "control/api/api.hpp"
#include "control/recording_operations.hpp"
#include "runtime/async/task_group.hpp"
#include "support/catch.hpp"
#include "support/simulated_clock.hpp"

#include <boost/asio/io_context.hpp>
#include <fmt/format.h>

namespace shelfd::control {
namespace {

using namespace std::chrono_literals;

struct RefusalBench {
    asio::io_context loop;
    SimulatedClock clock{loop};
    std::vector<std::string> lines;
    Log log{[this](const LogRecord& record) {
        std::string text(record.message);
        for (const auto& field : record.fields) {
            text += fmt::format(" {}={}", field.key, field.value);
        }
        lines.push_back(std::move(text));
    }};
    RefusalLog refusals{clock, log};
    TaskGroup tasks{loop.get_executor()};

    void start()
    {
        tasks.spawn(refusals.tell_left_out());
        clock.advance_by(1ms);
    }
    unsigned admitted(uid_t uid, const std::string& verb, unsigned times)
    {
        unsigned count = 0;
        for (unsigned i = 0; i < times; ++i) {
            count += refusals.admits(uid, verb) ? 1 : 0;
        }
        return count;
    }
    void end()
    {
        tasks.cancel();
        clock.run(tasks.join());
    }
};

TEST_CASE("many refused calls of one user hide no other verb and no other user, and their number is told in one line")
{
    RefusalBench bench;
    bench.start();
    CHECK(bench.admitted(1000, "status", 1'000) == RefusalLog::most_of_verb);
    CHECK(bench.admitted(1000, "library forget", 1) == 1);
    CHECK(bench.admitted(1001, "status", 1) == 1);
    CHECK(bench.lines.empty());
    bench.clock.advance_by(RefusalLog::window);
    CHECK(bench.lines ==
          std::vector<std::string>{
              "control: refused: 995 more calls within a minute, of uid 1000; they were not logged one by one"});
    // The next minute begins anew, and a minute without any says nothing.
    CHECK(bench.admitted(1000, "status", 6) == RefusalLog::most_of_verb);
    bench.refusals.count(1001);
    bench.clock.advance_by(10 * RefusalLog::window);
    REQUIRE(bench.lines.size() == 2);
    CHECK(bench.lines[1] == "control: refused: 2 more calls within a minute, of uid 1000 and another user; they were "
                            "not logged one by one");
    bench.end();
    CHECK(bench.lines.size() == 2);
}

TEST_CASE("however many users are refused, and whatever they ask, a minute has a bounded number of lines")
{
    RefusalBench bench;
    bench.start();
    unsigned count = 0;
    for (uid_t uid = 2000; uid < 2100; ++uid) {
        count += bench.admitted(uid, fmt::format("verb {}", uid), 10);
    }
    CHECK(count == RefusalLog::most_of_all);
    bench.end();  // with what was left out until then
    CHECK(bench.lines ==
          std::vector<std::string>{"control: refused: 940 more calls within a minute, of uid 2000 and 99 "
                                   "other users; they were not logged one by one"});
}

TEST_CASE("of acts that are refused to a user who only looks, too, many are told by their number")
{
    RefusalBench bench;
    Journal asked;
    RecordingOperations operations(bench.clock, asked);
    const Api api(operations, bench.clock, bench.log, Rights{500, gid_t(60), gid_t(61)}, {"readers", "admins"});
    bench.tasks.spawn(api.refusals().tell_left_out());
    for (int i = 0; i < 20; ++i) {
        Call call{"POST", "/v1/sync", "", Secret(std::string(R"({"library":"antwerp"})")), {4'000'000'000U, 8, {60}}};
        CHECK(bench.clock.run(api.answer(std::move(call))).status == 403);
    }
    REQUIRE(bench.lines.size() == RefusalLog::most_of_verb);
    CHECK(bench.lines[4] == "control: refused an action library=antwerp user=uid 4000000000 uid=4000000000 pid=8 "
                            "verb=sync");
    bench.clock.advance_by(RefusalLog::window);
    CHECK(bench.lines.back() ==
          "control: refused: 15 more calls within a minute, of uid 4000000000; they were not logged one by one");
    bench.end();
}

}  // namespace
}  // namespace shelfd::control
