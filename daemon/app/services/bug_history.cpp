#include "app/services/bug_history.hpp"

#include "base/backoff.hpp"

#include <fmt/core.h>

#include <utility>

namespace shelfd::app {
namespace {

constexpr Duration first_wait = std::chrono::seconds(30);
constexpr Duration max_wait = std::chrono::hours(1);
// After a run of this length, a bug does not count as one in a row.
constexpr Duration long_enough = std::chrono::hours(1);

}  // namespace

std::string bug_text(const std::string& library, const Bug& bug)
{
    return fmt::format("bug in {}: {}: its passes stop, its token set is kept; it restarts at {}; please send a bug "
                       "report with this log and the output of: shelfctl status {} --json",
                       library, bug.what, bug.again_at.to_short_text(), library);
}

const Bug& BugHistory::add(std::string what, Instant now, BootTime boot_now)
{
    Bug bug;
    bug.what = std::move(what);
    bug.at = bug.since = now;
    if (newest_ && boot_now < newest_->again_boot + long_enough) {
        bug.since = newest_->since;
        bug.times = newest_->times + 1;
    }
    const auto wait = doubled(first_wait, bug.times - 1, max_wait);
    bug.again_at = now + wait;
    bug.again_boot = boot_now + wait;
    newest_ = std::move(bug);
    return *newest_;
}

}  // namespace shelfd::app
