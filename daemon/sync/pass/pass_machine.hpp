// Decides one walk over a list: which page next, when to try again, whether the walk proves anything, when to give up.
#pragma once

#include "base/backoff.hpp"
#include "base/instant.hpp"
#include "sync/pass/proof.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::sync {

enum class PassState {
    before,       // nothing was asked yet
    identifying,  // the canary was asked who we are, before the first page
    walking,      // a page was asked for
    renewing,     // a page was answered 401: the keeper of the token set was asked what that means
    waiting,      // a page failed for a passing reason; it will be asked for again
    closing,      // page 1 was asked for again, to see what moved during the walk
    seeking,      // the mirror was asked which of its rows the walk lacked
    witnessing,   // one of these was asked for by its own address
    confirming,   // the canary was asked again, after the last page
    publishing,   // the mirror is making the pass visible
    ended,
};

enum class PassAction {
    ask_identity,  // ask the canary; resume with identity_ours or failed
    fetch_page,    // ask for `query()`, unless it is recalled; resume with page_arrived, page_recalled() or what went
                   // wrong
    start_over,    // drop what was staged, fetched ahead, or might be recalled; resume with dropped
    find_missing,  // look for rows that the walk lacked; resume with missing_found() or failed
    ask_witness,   // ask for row `witness_number()` of these by itself; resume with row_* or what went wrong
    renew_token,   // report the 401 to the keeper; resume with token_renewed or failed
    wait,          // sleep `wait_time()`; resume with waited
    publish,       // make it visible with `proof()`; resume with published or failed
    give_up,       // drop what was staged; `failure()` says why
    finish,        // the pass is published
};

enum class PassEvent {
    begin,            // start the pass
    identity_ours,    // the canary answered as the library we mirror
    page_arrived,     // a page was read and staged; see PageSeen
    dropped,          // nothing of what was staged is left
    page_past_end,    // 404 or 410 past page 1, by number or offset: the list shrank, or always names one page too many
    page_refused,     // 400 past page 1, or a cursor that the service does not know any more: the list goes on there
    order_refused,    // a page was answered 400, perhaps for the order that we chose
    row_gone,         // the service has no such row
    row_there,        // it has: the list hides it
    row_unclear,      // anything else
    unauthorized,     // a page was answered 401
    token_renewed,    // there is another token to try the page with
    passing_trouble,  // 5xx, time-out, reset, HTML: worth another try
    throttled,        // 429, 503 with Retry-After: the limiter waits, the page is asked for again
    waited,           // the wait is over
    published,        // the mirror shows the pass
    failed,           // anything no further try of this pass can mend
};

// What a page told, counted by the mirror and the envelope.
struct PageSeen {
    std::optional<std::uint64_t> count;       // rows in the list, by the service, where it counts
    bool is_chain = false;                    // a cursor list, by all that was seen of it
    std::optional<std::string> next_query;    // nothing = the last page
    bool next_is_guess = false;               // nobody named it
    bool is_aside = false;                    // asked for to learn where the list ends: none of its pages
    bool may_lack = false;                    // the list is known to hold more than it gives
    std::uint64_t items = 0;                  // rows in this page
    std::uint64_t new_keys = 0;               // of them, keys this pass had not seen yet
    std::optional<std::int64_t> highest_key;  // where all keys are integers
    std::optional<std::int64_t> lowest_key;   // likewise
    std::optional<std::int64_t> cursor_key;   // what `next_query` goes on behind, where its cursor is that and no more
    std::uint64_t fresh = 0;                  // rows that the table does not have, or not as they are here
    std::uint64_t entered = 0;                // of them, come from elsewhere than the front; see mirror::PageFacts; of
                                              // changes also those that are younger than the walk
    std::uint64_t moved = 0;                  // of these, known from another slice of the table
    std::uint64_t above_newest = 0;           // closing page: keys above the first page's highest
    bool descending = true;                   // keys fall within the page and from the page before it
    bool falling = true;                      // keys fall within the page
    bool is_early = false;                    // the first page, asked for while an earlier pass of the round went on
    std::string key_set;                      // digest of the keys met so far
};

// Of the rows of the table that the walk lacked.
struct MissingSeen {
    bool any = false;
    std::size_t askable = 0;  // those that have an address to be asked for
};

// No I/O, no clock, no log. One object a pass. `resume` must be called with the event that answers the last action.
//
//   state        event            next state   action
//   before       begin            identifying  ask_identity      (with an identity configured)
//   before       begin            walking      fetch_page        (without)
//   identifying  identity_ours    walking      fetch_page
//   confirming   identity_ours    publishing   publish
//   walking      page_arrived     walking      fetch_page        (there is a next page)
//   walking      page_arrived     closing      fetch_page        (last page of several, counted, newest keys first all
//                                                                the way)
//   walking      page_arrived     seeking      find_missing      (any other last page; * unless proven and of a pass
//                                                                that seeks what it lacks: as after the last witness)
//   walking      page_recalled    as page_arrived
//   walking      page_arrived     walking      start_over        (the first one behind recalled ones, and the service
//                                                                counts another number of rows than it did then, in a
//                                                                list whose order proves nothing)
//   walking      page_arrived     walking      start_over        (an early one, with rows of other slices: a pass that
//                                                                was published meanwhile may know them better)
//   walking      dropped          walking      fetch_page        (page 1)
//   walking      page_arrived     ended        give_up           (it names a page that was asked for before; or many in
//                                                                a row brought no new key, or very many no row)
//   walking      page_past_end    as page_arrived (the last page, where as many rows came as the service counts)
//   walking      page_past_end    seeking      find_missing      (* likewise, where nobody counts; page 1: ended,
//   give_up) walking      page_refused     confirming   ask_identity      (as far as it was read it is published,
//   unproven;
//                                                                without identity: publishing, publish)
//   walking      page_arrived     walking      fetch_page        (a page aside, and more to ask for; else as a last
//   one) walking      order_refused    walking      fetch_page        (without the order; else: ended, give_up) closing
//   page_arrived     seeking      find_missing      (* likewise) seeking      missing_found    witnessing   ask_witness
//   (there are some) seeking      missing_found    confirming   ask_identity      (none; without identity: publishing,
//   publish) seeking      missing_found    walking      start_over        (some, and the first page was early:
//   likewise) witnessing   row_gone/unclear witnessing   ask_witness       (the next one; after the last as below)
//   witnessing   row_there        confirming   ask_identity      (one is enough to hold all; without identity:
//                                                                publishing, publish)
//   walking/closing/witnessing unauthorized renewing renew_token (a second time for the same request: ended, give_up)
//   renewing     token_renewed    as before    fetch_page        (a witness: ask_witness)
//   renewing     passing_trouble  waiting      wait              (after max_attempts: ended, give_up)
//   walking/closing/witnessing throttled as before fetch_page    (a witness: ask_witness; after max_throttled: ended,
//                                                                give_up)
//   any asking   passing_trouble  waiting      wait              (after max_attempts: ended, give_up)
//   waiting      waited           as before    fetch_page        (a canary: ask_identity; a token: renew_token;
//                                                                a witness: ask_witness)
//   publishing   published        ended        finish
//   any          failed           ended        give_up
class PassMachine {
public:
    struct Settings {
        bool has_identity = false;
        std::string first_query;               // of page 1, without '?'
        std::string plain_query;               // the same without the order that we chose; "" = there is none to drop
        std::string previous_key_set;          // digest of the keys that the walk before this one met
        bool repeats = false;                  // see WalkFacts
        std::uint32_t max_attempts = 12;       // tries of one page, or of the canary, before the pass is given up
        std::uint32_t max_first_attempts = 4;  // the same before anything arrived: nothing is lost by giving up soon
        std::uint32_t max_throttled = 20;      // 429s, and 503s that name a time, for one page in a row
        std::uint32_t max_idle_pages = 5;      // pages in a row without a single new key
        std::uint32_t max_empty_pages = 100;   // without a single row: a cursor may pass over much that is filtered out
        bool seeks_missing = false;            // a full pass: it witnesses against rows that it lacks
        bool newest_first = false;             // the walk asks for newest keys first, or takes the service's order
    };

    explicit PassMachine(Settings settings) : settings_(std::move(settings)) {}

    // `random` in [0, 1) spreads the waits.
    PassAction resume(PassEvent event, double random);
    PassAction page_arrived(const PageSeen& page);
    // A walk that was cut short had got this page already.
    PassAction page_recalled(const PageSeen& page);
    PassAction missing_found(const MissingSeen& missing);
    // Instead of the next page: what was read is too old to go on with.
    PassAction start_over();

    PassState state() const { return state_; }
    const std::string& query() const { return query_; }
    // The page asked for is number n of the walk, from 1; the closing look at page 1 is not counted.
    std::uint32_t page_number() const { return walk_.pages + 1; }
    // Which of the rows found missing is asked for, from 0.
    std::size_t witness_number() const { return witness_; }
    Duration wait_time() const { return wait_time_; }
    Proof proof() const { return prove(walk_); }
    const WalkFacts& walk() const { return walk_; }
    // The order that we chose was refused, and dropped.
    bool order_was_refused() const { return order_refused_; }
    // The canary is asked before it, and behind its last page.
    bool asks_identity() const { return settings_.has_identity; }
    bool is_behind_first_page() const { return state_ == PassState::walking && walk_.pages > 0; }
    // The page asked for is one that nobody named.
    bool is_guessing() const { return state_ == PassState::walking && guesses_; }
    // Why the machine itself gave up; empty when the driver reported what went wrong, and knows better.
    const std::string& failure() const { return failure_; }

private:
    void begin_walk();
    bool has_moved(const PageSeen& page) const;
    PassAction end_of_list();
    PassAction past_end();
    PassAction begin_closing();
    PassAction after_last_page();
    PassAction next_witness();
    PassAction confirm();
    PassAction try_again(double random);
    PassAction ask_again();
    PassAction give_up(std::string why);
    PassAction follow(const PageSeen& page);
    bool goes_on_by_key(const PageSeen& page);
    bool ask_for(const std::string& query);

    Settings settings_;
    PassState state_ = PassState::before;
    PassState asking_ = PassState::walking;       // what renewing returns to
    PassState interrupted_ = PassState::walking;  // what waiting returns to
    std::string query_;
    // Of every query asked for: one seen again is a loop. (As texts, those of 5,000 pages took 0.5 MiB between larger
    // blocks; that two of as many differ and look alike happens once in 10^12 walks.)
    std::vector<std::uint64_t> query_hashes_;  // sorted
    WalkFacts walk_;
    Backoff backoff_{std::chrono::seconds(1), std::chrono::minutes(1)};
    Duration wait_time_{};
    std::uint64_t first_items_ = 0;  // rows of the first page
    std::uint64_t last_items_ = 0;   // of the newest one
    std::uint32_t attempts_ = 0;
    std::uint32_t throttled_ = 0;
    std::uint32_t idle_pages_ = 0;
    std::uint32_t empty_pages_ = 0;
    std::size_t witnesses_ = 0;
    std::size_t witness_ = 0;
    bool renewed_ = false;
    bool order_refused_ = false;
    bool recalled_ = false;  // the newest page was
    bool early_ = false;     // the first page was
    bool guesses_ = false;
    std::optional<std::int64_t> cursor_key_;  // that the page asked for begins behind
    bool falls_ = false;                      // keys do, by the cursors
    std::string failure_;
};

}  // namespace shelfd::sync
