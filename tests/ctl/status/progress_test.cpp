#include "ctl/status/progress.hpp"

#include "ctl/captured_terminal.hpp"
#include "support/catch.hpp"
#include "support/simulated_clock.hpp"

#include <fmt/core.h>

namespace shelfd::ctl {
namespace {

std::string page(int number)
{
    return fmt::format(R"({{"event":"progress","library":"antwerp","resource":"recipes","state":"running",)"
                       R"("running":{{"phase":"pages","page":{},"pages":12,"rows":400,"rows_per_second":212.4,)"
                       R"("eta_seconds":40.0,"note":""}}}})",
                       number);
}

constexpr auto ended = R"({"event":"progress","library":"antwerp","resource":"recipes","state":"ended","run":)"
                       R"({"started":"2024-01-06T06:00:00Z","finished":"2024-01-06T06:00:05Z","result":"published",)"
                       R"("rows":1200,"added":3,"changed":5,"deleted":1,"requests":7}})";
constexpr auto failed = R"({"event":"progress","library":"antwerp","resource":"stock","state":"ended","run":)"
                        R"({"result":"failed","error":"500 from the service"}})";
constexpr auto done = R"({"event":"done","ok":true})";
constexpr auto not_done = R"({"event":"done","ok":false,"error":{"kind":"timeout","text":"still not there"}})";

struct Watcher {
    asio::io_context loop;
    SimulatedClock clock{loop};
    CapturedTerminal captured;
    Progress progress;

    explicit Watcher(Output output = Output::text, Terminal::Traits traits = {})
        : captured(traits), progress(captured.terminal, clock, output)
    {
    }
};

TEST_CASE("each of several reasons of a failure is a line of its own that says whose it is")
{
    Watcher watcher;
    watcher.progress.take(
        R"({"event":"done","ok":false,"error":{"kind":"timeout","text":"antwerp a: x\nghent b: y"}})");
    CHECK(watcher.captured.err == "shelfctl: antwerp a: x\nshelfctl: ghent b: y\n");
}

TEST_CASE("without a terminal there is a line every ten seconds, and one for what has ended")
{
    Watcher watcher;
    for (int i = 1; i <= 12; ++i) {
        watcher.progress.take(page(i));
        watcher.clock.advance_by(std::chrono::seconds(2));
    }
    watcher.progress.take(ended);
    watcher.progress.take(failed);
    watcher.progress.take(done);
    CHECK(watcher.captured.out == "antwerp recipes: page 1 of 12, 400 rows, 212 rows/s, 40 s left\n"
                                  "antwerp recipes: page 6 of 12, 400 rows, 212 rows/s, 40 s left\n"
                                  "antwerp recipes: page 11 of 12, 400 rows, 212 rows/s, 40 s left\n"
                                  "antwerp recipes: 1200 rows, 3 added, 5 changed, 1 deleted; 7 requests in 5 s\n"
                                  "antwerp stock: failed\n");  // the reason comes at the end
    CHECK(watcher.progress.outcome() == ExitCode::done);
}

TEST_CASE("a pass of which nothing new comes for a while, and no reason, is said to make no progress")
{
    constexpr auto limited = R"({"event":"progress","library":"antwerp","resource":"recipes","state":"running",)"
                             R"("running":{"phase":"pages","page":2,"waits_for_limit_since":"2024-01-06T06:00:00Z"}})";
    Watcher watcher;
    const auto stand = [&](const std::string& line) {
        for (int i = 0; i < 6; ++i) {
            watcher.progress.take(line);
            watcher.clock.advance_by(std::chrono::seconds(5));
        }
    };
    stand(page(1));
    stand(limited);
    stand(page(2));
    const std::string rest = " of 12, 400 rows, 212 rows/s, 40 s left";
    const std::string waiting = "antwerp recipes: page 2, waiting for the request limit since 2024-01-06T06:00:00Z\n";
    CHECK(watcher.captured.out ==
          "antwerp recipes: page 1" + rest + "\nantwerp recipes: page 1" + rest + "\nantwerp recipes: page 1" + rest +
              "; no progress for 20 s\n" + waiting + waiting + waiting + "antwerp recipes: page 2" + rest +
              "\nantwerp recipes: page 2" + rest + "\nantwerp recipes: page 2" + rest + "; no progress for 20 s\n");
}

TEST_CASE("on a terminal one line changes")
{
    Watcher watcher(Output::text, {true, false, 80});
    watcher.progress.take(page(1));
    watcher.progress.take(page(2));
    watcher.progress.take(ended);
    CHECK(watcher.captured.out == "antwerp recipes: page 1 of 12, 400 rows, 212 rows/s, 40 s left\r\x1b[K"
                                  "antwerp recipes: page 2 of 12, 400 rows, 212 rows/s, 40 s left\r\x1b[K"
                                  "antwerp recipes: 1200 rows, 3 added, 5 changed, 1 deleted; 7 requests in 5 s\n");
}

TEST_CASE("with JSON the lines come through as they are, but for those that only say alive")
{
    Watcher watcher(Output::json);
    for (const auto* line : {ended, R"({"event":"alive"})", done}) {
        watcher.progress.take(line);
    }
    CHECK(watcher.captured.out == std::string(ended) + "\n" + done + "\n");
}

TEST_CASE("a pause that the service asks for is shown at once, with its end, in whatever state the pass is")
{
    constexpr auto paused = R"({"event":"progress","library":"antwerp","resource":"recipes","state":"running",)"
                            R"("paused_until":"2024-01-06T07:05:10Z","running":{"phase":"pages","page":3,"pages":12,)"
                            R"x("note":"rate limited by the service (429)"}})x";
    constexpr auto queued = R"({"event":"progress","library":"antwerp","resource":"stock","state":"queued",)"
                            R"("paused_until":"2024-01-06T08:00:00Z"})";
    Watcher watcher;
    watcher.progress.take(page(2));
    watcher.progress.take(paused);  // a moment later
    watcher.progress.take(paused);
    watcher.progress.take(queued);
    CHECK(watcher.captured.out ==
          "antwerp recipes: page 2 of 12, 400 rows, 212 rows/s, 40 s left\n"
          "antwerp recipes: page 3 of 12, waiting: rate limited by the service (429); no requests until "
          "2024-01-06T07:05:10Z\n"
          "antwerp stock: waiting for other lists; rate limited by the service: no requests until "
          "2024-01-06T08:00:00Z\n");
    Watcher json(Output::json);
    json.progress.take(paused);
    CHECK(json.captured.out == std::string(paused) + "\n");
}

TEST_CASE("what did not work is said, and ends with the code of its kind")
{
    Watcher watcher;
    watcher.progress.take(R"({"event":"waiting","for":["a: filling","b: filling","c: late","d: late"]})");
    CHECK_FALSE(watcher.progress.outcome());
    watcher.progress.take(not_done);
    CHECK(watcher.captured.out == "waiting for a: filling; b: filling; c: late; and 1 more\n");
    Watcher folding;
    folding.progress.take(
        R"({"event":"waiting","for":["a x: filling","b x: filling"],"text":"a, b (2 tables): filling"})");
    CHECK(folding.captured.out == "waiting for a, b (2 tables): filling\n");
    CHECK(watcher.captured.err == "shelfctl: still not there\n");
    CHECK(watcher.progress.outcome() == ExitCode::busy);
}

TEST_CASE("lines that mean nothing are no reason to stop")
{
    Watcher watcher;
    for (const auto* line : {"", "{", "[]", "7", R"({"event":7})", R"({"event":"later","of":"another version"})"}) {
        watcher.progress.take(line);
    }
    CHECK(watcher.captured.out.empty());
    CHECK_FALSE(watcher.progress.outcome());
}

}  // namespace
}  // namespace shelfd::ctl
