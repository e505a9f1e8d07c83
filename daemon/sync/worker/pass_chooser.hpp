// Which kind of pass comes next and what it asks for, by what the schedule wants and what the service is known to do.
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

// What the next pass would be, told before it is made.
struct PassPreview {
    PassKind kind = PassKind::full;
    std::string why;                        // one sentence
    std::string target;                     // of its first request
    bool tries_filter = false;              // with one request before
    std::optional<std::uint64_t> requests;  // that and the canaries left out; nothing = nobody knows yet
};

// Loop only. `context`, `resource` and `rhythm` outlive it.
// Two things are tried out before they are relied on, each once and then weekly: that the filter of incremental passes
// leaves nothing of an instant that has not come yet (what these passes bring is looked at as well), and that the order
// newest key first is obeyed. A filter that an incremental pass was refused with is tried again at once. What the
// service ignores or refuses is done without; `warning` says so.
class PassChooser {
public:
    PassChooser(LibraryContext& context, const config::Resource& resource, const Rhythm& rhythm);

    // Reads what the mirror knows.
    asio::awaitable<Result<void>> load();
    // May send one request, to try the filter or to look at a row.
    asio::awaitable<Round> choose(Wish wish);
    // What it would choose for Wanted::full now, of a list that is not published in parts.
    PassPlan whole_plan() const;
    // When there is something to do for Wanted::backfill; nothing: never, as far as is known now.
    std::optional<Instant> backfill_at() const;
    // The table is published in parts, each with a proof of its own: windows of a ledger, lists by parent.
    bool is_sliced() const { return ledger_ != nullptr || list_rounds_ != nullptr; }
    bool has_parent() const { return list_rounds_ != nullptr; }
    // Lists by parent, none of which was ever walked as it is asked for now, whatever the table holds.
    bool is_untouched() const
    {
        return list_rounds_ && list_rounds_->outlook().lists > 0 &&
               list_rounds_->outlook().never_asked == list_rounds_->outlook().lists;
    }
    // Where the list is; of lists by parent, the longest that is known, "" where there is none.
    std::string path() const;
    // What `choose` would say, asking nothing: of lists, `requests` is the caller's to fill.
    PassPreview preview(Wish wish) const;
    // Keeps what a pass found out.
    asio::awaitable<void> learn(const PassReport& pass);

    // What a person should know though passes go on; "" = nothing.
    std::string warning() const;

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
    asio::awaitable<std::string> find_unbrought(const PassReport& pass);
    asio::awaitable<std::string> settle_suspicion(const PassReport& pass);
    Round choose_windows(Wish wish) const;
    asio::awaitable<Round> choose_lists(Wish wish);
    bool asks_changes(Wanted wanted) const;
    PassPreview preview_lists(Wanted wanted) const;
    Round choose_whole(Wish wish) const;
    PassPlan choose_pass(Wish wish) const;
    asio::awaitable<void> save();
    void warn(const std::string& seen) const;

    // Of what the service makes of a parameter: those in a row that told nothing, and when the next one may be.
    struct Tries {
        std::uint32_t in_vain = 0;
        BootTime next = {};
        void told_nothing(BootTime now, Duration longest);
    };

    LibraryContext& context_;
    const config::Resource& resource_;
    mirror::Discovery discovery_;
    budget::Tally spent_;                  // on the newest choice
    budget::Tally spent_behind_;           // on what was learned since then: the next choice counts it
    std::string changes_met_;              // digest of the keys of the last walk, where it was an incremental one
    std::optional<Instant> walked_as_of_;  // of the last walk, where it was published: PassReport::read_at
    Tries filter_tries_;
    std::uint32_t filter_refusals_ = 0;    // passes for changes in a row, refused though the tries went well
    std::string filter_why_;               // the newest of these told nothing
    std::optional<UnsureChange> suspect_;  // left out by the filter, if it was there
    Tries look_tries_;
    std::string window_fault_;                 // why no window can be walked; "" = nothing is known against it
    std::unique_ptr<WindowRounds> ledger_;     // of a ledger
    std::unique_ptr<ListRounds> list_rounds_;  // of lists by parent
};

}  // namespace shelfd::sync
