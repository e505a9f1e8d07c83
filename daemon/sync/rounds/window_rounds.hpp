// The windows of one resource: what the mirror knows of them, and the passes that follow from it.
#pragma once

#include "mirror/records/discovery.hpp"
#include "sync/library/context.hpp"
#include "sync/plan/window_plan.hpp"
#include "sync/rounds/round.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::sync {

// A stretch of time somebody wants to have walked.
struct TimeRange {
    Instant from;
    Instant to;

    friend bool operator==(const TimeRange&, const TimeRange&) = default;
};

// Days, or instants (RFC 3339), both included. Errors: usage, for other texts, and for what lies before the ledger or
// after `now`.
Result<TimeRange> range_of(const schedule::Windows& windows, const std::string& from, const std::string& to,
                           Instant now);

class PageFetcher;

// Loop only. `context` and `resource` outlive it.
class WindowRounds {
public:
    WindowRounds(LibraryContext& context, const config::Resource& resource, WindowPlan plan)
        : context_(context), resource_(resource), plan_(std::move(plan))
    {
    }

    // Reads what the mirror knows.
    asio::awaitable<Result<void>> load();

    // What keeps the table fresh.
    Round recent(const mirror::Discovery& discovery) const;
    // What is done while nothing is due; nothing when there is nothing.
    std::optional<Round> backfill(const mirror::Discovery& discovery) const;
    // Whatever is proven: these windows, or all. nothing when none of them has begun.
    std::optional<Round> walked_again(const mirror::Discovery& discovery, std::optional<TimeRange> range) const;
    // When `backfill` has something.
    std::optional<Instant> backfill_at() const;
    // A window that failed lets others go before it for a while. What is wrong with it is kept in the mirror.
    asio::awaitable<void> learn(const PassReport& pass);
    // Of the windows that were walked or refused and have not gone well since then: what is wrong with the newest one,
    // and how many others there are; "" = there is none.
    std::string warning() const;

    struct RowLook {
        mirror::PlaceForm form = mirror::PlaceForm::unknown;  // unknown where there is no row
        std::string fault = {};  // why the windows as configured would lose rows; "" = nothing speaks for that
    };
    // Two requests, which are added to `spent`. Nothing where they met trouble: the walk that follows meets it as well,
    // and deals with it.
    asio::awaitable<std::optional<RowLook>> inspect_rows(const mirror::Discovery& discovery, budget::Tally& spent);

private:
    asio::awaitable<std::optional<RowLook>> inspect_with(PageFetcher& fetcher, mirror::Discovery discovery);
    void take_words();
    Round round_of(const std::vector<WindowChoice>& choices, const mirror::Discovery& discovery) const;

    LibraryContext& context_;
    const config::Resource& resource_;
    WindowPlan plan_;
    WindowPlan::Known known_;
    bool has_words_ = false;                     // those that the mirror kept were read
    std::map<std::int64_t, std::string> words_;  // by the first second of such a window
};

}  // namespace shelfd::sync
