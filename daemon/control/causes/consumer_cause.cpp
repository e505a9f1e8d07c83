#include "control/causes/consumer_cause.hpp"

#include "base/words/shell_word.hpp"

#include <fmt/format.h>

#include <utility>

namespace shelfd::control {
namespace {

std::string how_to_forget(const LibraryStatus& library, const FeedConsumer& consumer)
{
    return fmt::format("if it is no longer needed: shelfctl changes {} --consumer {} --forget",
                       shell_word(library.name), shell_word(consumer.name));
}

Finding lost_changes(const LibraryStatus& library, const FeedConsumer& consumer)
{
    Finding one{CauseKind::consumer_lag, library.name + " " + consumer.name};
    one.library = library.name;
    one.why = fmt::format("consumer {} must read the tables again: changes after the position that it acknowledged at "
                          "{} are not in the change feed any more",
                          consumer.name, consumer.acknowledged_at.to_short_text());
    one.do_this = fmt::format("shelfctl changes {} --consumer {}, which says how to go on; {}",
                              shell_word(library.name), shell_word(consumer.name), how_to_forget(library, consumer));
    return one;
}

// Rows that came with a load are in no change, so `shelfctl changes` stops there.
constexpr Duration stands_still_after = std::chrono::hours(24);

Finding stands_before_loads(const LibraryStatus& library, const FeedConsumer& consumer)
{
    auto one = lost_changes(library, consumer);
    one.why =
        fmt::format("consumer {} must read these tables again, which received rows that are not in the change feed "
                    "after the position that it acknowledged at {}: {}",
                    consumer.name, consumer.acknowledged_at.to_short_text(), fmt::join(consumer.loaded, ", "));
    return one;
}

}  // namespace

std::vector<Finding> find_lagging(const LibraryStatus& library, Instant now)
{
    std::vector<Finding> findings;
    for (const auto& consumer : library.consumers) {
        if (consumer.must_read_tables) {
            findings.push_back(lost_changes(library, consumer));
            continue;
        }
        if (!consumer.loaded.empty() && now - consumer.acknowledged_at > stands_still_after) {
            findings.push_back(stands_before_loads(library, consumer));
            continue;
        }
        if (!consumer.waiting_since || !consumer.kept_until ||
            now < *consumer.waiting_since + (*consumer.kept_until - *consumer.waiting_since) / 4) {
            continue;
        }
        Finding one{CauseKind::consumer_lag, library.name + " " + consumer.name};
        one.library = library.name;
        one.why = fmt::format("consumer {} has not acknowledged {} change{} since {}", consumer.name, consumer.waiting,
                              consumer.waiting == 1 ? "" : "s", consumer.waiting_since->to_short_text());
        one.do_this = fmt::format("see why {} does not run; {}", consumer.name, how_to_forget(library, consumer));
        one.next = "keeps these changes until " + consumer.kept_until->to_short_text();
        one.since = consumer.waiting_since;
        one.deadline = consumer.kept_until;
        findings.push_back(std::move(one));
    }
    return findings;
}

}  // namespace shelfd::control
