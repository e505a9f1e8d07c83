#include "app/alerts/drop_notice.hpp"

#include "support/catch.hpp"

namespace shelfd::app {
namespace {

using namespace std::chrono_literals;

const Instant noon = Instant::from_seconds(1'704'542'400);

control::PendingCall call_for(std::string hook, control::Severity severity)
{
    control::PendingCall call;
    call.hook = std::move(hook);
    call.incident = "20240106-7";
    call.severity = severity;
    return call;
}

TEST_CASE("calls that were dropped are in the log for each hook, and for a day in the status")
{
    std::vector<std::string> lines;
    const Log log([&lines](const LogRecord& record) { lines.emplace_back(record.message); });
    DropNotice dropped;
    const auto notices_at = [&dropped](Instant at) {
        std::vector<control::Notice> notices;
        dropped.report(at, notices);
        return notices;
    };
    dropped.add({}, noon, log);
    CHECK(lines.empty());
    CHECK(notices_at(noon).empty());
    dropped.add({call_for("chat", control::Severity::ticket), call_for("mail", control::Severity::page)}, noon, log);
    CHECK(
        lines ==
        std::vector<std::string>{
            "1 call of hook chat dropped: more than 2000 calls or 8 MiB wait, so those of the lowest severity, and of "
            "these the "
            "oldest, are dropped first; the last is of incident 20240106-7",
            "1 call of hook mail dropped, one of them a page: more than 2000 calls or 8 MiB wait, so those "
            "of the lowest severity, and of these the oldest, are dropped first; the last is of incident 20240106-7"});
    dropped.add({call_for("chat", control::Severity::ticket)}, noon + 1h, log);
    const auto notices = notices_at(noon + 24h);
    REQUIRE(notices.size() == 1);
    CHECK(notices.front().text ==
          "calls of hook chat, mail were dropped because too many were waiting: 3 so far, one of them a page");
    CHECK(notices.front().since == noon);
    CHECK(notices.front().do_this.starts_with("to see which hook does not accept its calls: shelfctl hooks list"));
    CHECK(notices_at(noon + 25h).empty());
    // And from the beginning.
    dropped.add({call_for("desk", control::Severity::info)}, noon + 30h, log);
    CHECK(notices_at(noon + 30h).front().text ==
          "calls of hook desk were dropped because too many were waiting: 1 so far");
}

}  // namespace
}  // namespace shelfd::app
