#include "control/causes/consumer_cause.hpp"

#include "base/words/shell_word.hpp"

#include <fmt/format.h>

#include <utility>

namespace shelfd::control {

std::vector<Finding> find_lagging(const LibraryStatus& library, Instant now)
{
    std::vector<Finding> findings;
    for (const auto& consumer : library.consumers) {
        if (!consumer.waiting_since || !consumer.kept_until ||
            now < *consumer.waiting_since + (*consumer.kept_until - *consumer.waiting_since) / 4) {
            continue;
        }
        Finding one{CauseKind::consumer_lag, library.name + " " + consumer.name};
        one.library = library.name;
        one.why = fmt::format("consumer {} has not acknowledged {} change{} since {}", consumer.name, consumer.waiting,
                              consumer.waiting == 1 ? "" : "s", consumer.waiting_since->to_short_text());
        one.do_this =
            fmt::format("see why {} does not run; if it is no longer needed: shelfctl changes {} --consumer {} "
                        "--forget",
                        consumer.name, shell_word(library.name), shell_word(consumer.name));
        one.next = "keeps these changes until " + consumer.kept_until->to_short_text();
        one.since = consumer.waiting_since;
        one.deadline = consumer.kept_until;
        findings.push_back(std::move(one));
    }
    return findings;
}

}  // namespace shelfd::control
