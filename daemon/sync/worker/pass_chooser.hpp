// Chooses the kind and the requests of the next pass, by the schedule and by what the service is known to support.
#pragma once

#include "mirror/records/discovery.hpp"
#include "sync/library/context.hpp"
#include "sync/pass/pass_report.hpp"
#include "sync/plan/rhythm.hpp"
#include "sync/rounds/list_rounds.hpp"
#include "sync/rounds/round.hpp"
#include "sync/rounds/window_rounds.hpp"
#include "sync/worker/wish_queue.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace shelfd::sync {

// The next pass, described before it is made.
struct PassForecast {
    PassKind kind = PassKind::full;
    bool tries_filter = false;              // one request to test the filter precedes it
    std::optional<std::uint64_t> requests;  // without that one and the canaries; empty = not known yet
};

struct PassPreview : PassForecast {
    std::string why;     // one sentence
    std::string target;  // of its first request
};

struct FilterTrouble {
    std::string why;               // one sentence
    std::optional<Instant> since;  // the newest test
};

// Loop only. `context`, `resource` and `rhythm` must outlive this object.
// Two properties are tested before they are used, and again weekly: that the filter of incremental passes returns no
// rows for an instant in the future (the rows of these passes are checked as well), and that the order newest key first
// is obeyed. A filter with which an incremental pass was refused is tested again at once. What the service ignores or
// refuses is not used; `warning` reports it.
class PassChooser {
public:
    PassChooser(LibraryContext& context, const config::Resource& resource, const Rhythm& rhythm);

    // Reads what the mirror knows.
    asio::awaitable<Result<void>> load();
    // May send requests, to test the filter or to look at rows.
    asio::awaitable<Round> choose(Wish wish);
    // What it would choose for Wanted::full now, for a list that is not published in parts.
    PassPlan whole_plan() const;
    // When there is work for Wanted::backfill; empty: never, as far as is known.
    std::optional<Instant> backfill_at() const;
    // True if the table is published in parts with proofs of their own: windows of a ledger, lists by parent.
    bool is_sliced() const { return ledger_ != nullptr || list_rounds_ != nullptr; }
    bool has_parent() const { return list_rounds_ != nullptr; }
    // True for lists by parent of which none was walked with the present configuration, whatever the table holds.
    bool is_untouched() const
    {
        return list_rounds_ && list_rounds_->outlook().lists > 0 &&
               list_rounds_->outlook().never_asked == list_rounds_->outlook().lists;
    }
    // The path of the list; for lists by parent, of the longest known one, "" if there is none.
    std::string path() const;
    // What `choose` would return, without sending requests. `requests` is set only for lists by parent and windows.
    PassPreview preview(Wish wish) const;
    // The same without sentences, for tables that wait for their turn and are asked again and again.
    PassForecast forecast(Wish wish) const;
    // Stores what a pass learned.
    asio::awaitable<void> learn(const PassReport& pass);

    // What a person should know although passes continue; "" = nothing.
    std::string warning() const;
    // Why the configured filter is not used; empty: it is, or there is none, or nothing is known yet.
    std::optional<FilterTrouble> filter_trouble() const;

private:
    bool is_cursor_to_come() const;
    bool is_filter_usable() const;
    bool is_look_due(std::optional<Instant> last) const;
    bool has_scope() const;
    bool must_try_filter() const;
    std::string why_full(Wanted wanted) const;
    asio::awaitable<void> try_filter();
    asio::awaitable<void> inspect_rows();
    void learn_list(const PassReport& pass, mirror::Discovery& learned) const;
    asio::awaitable<std::string> find_unbrought(const PassReport& pass, mirror::Discovery& learned);
    asio::awaitable<std::string> settle_suspicion(const PassReport& pass, mirror::Discovery& learned) const;
    Round choose_windows(Wish wish) const;
    asio::awaitable<Round> choose_lists(Wish wish);
    bool asks_changes(Wanted wanted) const;
    bool hopes_for_changes(Wanted wanted) const;
    Round choose_whole(Wish wish) const;
    PassPlan choose_pass(Wish wish) const;
    asio::awaitable<void> save();
    void warn(const std::string& seen) const;

    // Tests in a row that showed nothing, and the earliest time of the next one.
    struct Tries {
        std::uint32_t in_vain = 0;
        BootTime next = {};
        void told_nothing(BootTime now, Duration longest);
    };

    LibraryContext& context_;
    const config::Resource& resource_;
    mirror::Discovery discovery_;
    budget::Tally spent_;                  // on the newest choice
    budget::Tally spent_behind_;           // on what was learned after it: counts for the next choice
    std::string changes_met_;              // digest of the keys of the last walk, if it was an incremental one
    std::optional<Instant> walked_as_of_;  // PassReport::read_at of the last walk, if it was published
    std::optional<ClockReading> clock_;    // at the start of the last walk that was published
    Tries filter_tries_;
    std::uint32_t filter_refusals_ = 0;  // incremental passes in a row that were refused although tests succeeded
    std::string filter_why_;             // why the newest test showed nothing
    Tries look_tries_;
    std::string window_fault_;                 // why no window can be walked; "" = no reason known
    std::unique_ptr<WindowRounds> ledger_;     // for a ledger
    std::unique_ptr<ListRounds> list_rounds_;  // for lists by parent
};

}  // namespace shelfd::sync
