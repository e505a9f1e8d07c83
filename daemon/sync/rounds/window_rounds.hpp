// The windows of one resource: what the mirror knows of them, and the rounds to make.
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

// A time range that a person wants walked.
struct TimeRange {
    Instant from;
    Instant to;

    friend bool operator==(const TimeRange&, const TimeRange&) = default;
};

// Parses days or instants (RFC 3339); both ends are included. Errors: usage, for other texts and for ranges before the
// ledger or after `now`.
Result<TimeRange> range_of(const schedule::Windows& windows, const std::string& from, const std::string& to,
                           Instant now);

class PageFetcher;

// Loop only. `context` and `resource` must outlive this object.
class WindowRounds {
public:
    WindowRounds(LibraryContext& context, const config::Resource& resource, WindowPlan plan)
        : context_(context), resource_(resource), plan_(std::move(plan))
    {
    }

    // Reads what the mirror knows.
    asio::awaitable<Result<void>> load();

    // The round that keeps the table fresh.
    Round recent(const mirror::Discovery& discovery) const;
    // The round to make while nothing is due; empty if there is none.
    std::optional<Round> backfill(const mirror::Discovery& discovery) const;
    // A round over these windows, or all, whatever is proven; empty if none of them has begun.
    std::optional<Round> walked_again(const mirror::Discovery& discovery, std::optional<TimeRange> range) const;
    // When `backfill` returns a round.
    std::optional<Instant> backfill_at() const;
    // After a window failed, others precede it for a pause. Its trouble is stored in the mirror.
    asio::awaitable<void> learn(const PassReport& pass);
    // The newest window that failed and has not succeeded since: its trouble, and how many others there are; "" = none.
    std::string warning() const;

    struct RowLook {
        mirror::PlaceForm form = mirror::PlaceForm::unknown;  // unknown if there is no row
        std::string fault = {};  // why the configured windows would lose rows; "" = no reason known
    };
    // Sends two requests, which are added to `spent`. Empty if they failed: the walk that follows handles the trouble.
    asio::awaitable<std::optional<RowLook>> inspect_rows(const mirror::Discovery& discovery, budget::Tally& spent);

private:
    asio::awaitable<std::optional<RowLook>> inspect_with(PageFetcher& fetcher, mirror::Discovery discovery);
    void take_words();
    Round round_of(const std::vector<WindowChoice>& choices, const mirror::Discovery& discovery) const;

    LibraryContext& context_;
    const config::Resource& resource_;
    WindowPlan plan_;
    WindowPlan::Known known_;
    bool has_words_ = false;                     // the recorded ones were read
    std::map<std::int64_t, std::string> words_;  // by the first second of the window
};

}  // namespace shelfd::sync
