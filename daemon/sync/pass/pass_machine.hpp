// Decides one walk over a list: which page is next, when to retry, whether the walk proves anything, when to give up.
#pragma once

#include "base/instant.hpp"
#include "sync/walk/cursor_chain.hpp"
#include "sync/walk/page_tries.hpp"
#include "sync/walk/proof.hpp"
#include "sync/walk/walk_advance.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace shelfd::sync {

enum class PassState {
    before,       // nothing was requested yet
    identifying,  // the canary was asked, before the first page
    walking,      // a page was requested
    renewing,     // a page was answered 401: the keeper of the token set was asked what that means
    waiting,      // a request failed for a passing reason and will be repeated
    closing,      // page 1 was requested again, to see what moved during the walk
    seeking,      // the mirror was asked which of its rows the walk lacked
    witnessing,   // one of these was requested by its own address
    confirming,   // the canary was asked again, after the last page
    publishing,   // the mirror is making the pass visible
    ended,
};

enum class PassAction {
    ask_identity,  // ask the canary; resume with identity_ours or failed
    fetch_page,    // request `query()` unless it is recalled; resume with page_arrived(), page_recalled() or the event
                   // that describes the failure
    start_over,    // drop what was staged, fetched ahead or could be recalled; resume with dropped
    find_missing,  // find rows that the walk lacked; resume with missing_found() or failed
    ask_witness,   // request row `witness_number()` by itself; resume with row_* or the event for the failure
    renew_token,   // report the 401 to the keeper; resume with token_renewed or failed
    wait,          // sleep `wait_time()`; resume with waited
    publish,       // make the pass visible with `proof()`; resume with published or failed
    give_up,       // drop what was staged; `failure()` says why
    finish,        // the pass is published
};

// Pages and missing rows are reported by functions of their own, with their facts.
enum class PassEvent {
    begin,            // start the pass
    identity_ours,    // the canary answered as the mirrored library
    dropped,          // all that was staged is dropped
    page_past_end,    // 404, 410 after page 1, by number or offset: the list shrank, or always names one page too many
    page_refused,     // 400 after page 1, or a cursor that the service no longer knows: the list continues there
    order_refused,    // a page was answered 400, perhaps because of the order that the daemon chose
    row_gone,         // the service has no such row
    row_there,        // the service has the row: the list hides it
    row_unclear,      // any other answer
    unauthorized,     // a page was answered 401
    token_renewed,    // there is a new token for the page
    passing_trouble,  // 5xx, timeout, reset, HTML: retried
    throttled,        // 429, 503 with Retry-After, a 401 with it to a token that works: requested again after the wait
    waited,           // the wait is over
    published,        // the mirror shows the pass
    failed,           // an error that no further try of this pass can cure
};

// The facts of a page, as counted by mirror and envelope.
struct PageSeen {
    std::optional<std::uint64_t> count;       // rows in the list, if the service counts
    bool is_chain = false;                    // a cursor list, by everything seen of it
    std::optional<std::string> next_query;    // empty = the last page
    bool next_is_guess = false;               // the service did not name the next page
    bool is_aside = false;                    // a test for the end of the list, not one of its pages
    bool may_lack = false;                    // the list is known to have more rows than it returns
    std::uint64_t items = 0;                  // rows in this page
    std::uint64_t new_keys = 0;               // of these, keys that are new to this pass
    std::optional<std::int64_t> highest_key;  // set only if all keys are integers
    std::optional<std::int64_t> lowest_key;   // likewise
    std::optional<std::int64_t> cursor_key;   // the key in the cursor of `next_query`, if it holds only a key
    std::uint64_t fresh = 0;                  // rows that the table does not have, or has with other content
    std::uint64_t entered = 0;                // of these, rows that did not enter at the front, see mirror::PageFacts;
                                              // in a walk for changes also rows that changed during the walk
    std::uint64_t moved = 0;                  // of these, rows known from another slice of the table
    std::uint64_t above_newest = 0;           // in the closing page: keys above the first page's highest
    bool descending = true;                   // keys descend within the page and from the page before it
    bool falling = true;                      // keys descend within the page
    bool is_early = false;                    // the first page, requested during an earlier pass of the round
    std::string key_set;                      // digest of the keys met so far
};

// The rows of the table that the walk lacked.
struct MissingSeen {
    bool any = false;
    std::size_t askable = 0;  // those with an address
};

// No I/O, clock or log. One object for each pass. Answer each action with `resume`, or with the function for a page or
// for missing rows. tests/sync/pass/pass_table_test.cpp compares this table with the machine. "any request": walking,
// closing, witnessing. "any asking": these, and identifying, renewing, confirming. "any": every state but ended. A
// recalled page counts as page_arrived.
//
// clang-format off
// | state            | event           | when                                | next state              | action       |
// |------------------|-----------------|-------------------------------------|-------------------------|--------------|
// | before           | begin           | with an identity configured         | identifying             | ask_identity |
// | before           | begin           | without                             | walking                 | fetch_page   |
// | identifying      | identity_ours   |                                     | walking                 | fetch_page   |
// | walking          | page_arrived    | there is a next page                | walking                 | fetch_page   |
// | walking          | page_arrived    | last one, a closing look is due (1) | closing                 | fetch_page   |
// | walking          | page_arrived    | last one, proven, and rows may lack | seeking                 | find_missing |
// | walking          | page_arrived    | any other last page                 | confirming              | ask_identity |
// | walking          | page_arrived    | likewise, without identity          | publishing              | publish      |
// | walking          | page_arrived    | recalled ones do not fit it (2)     | walking                 | start_over   |
// | walking          | page_arrived    | early, rows of other slices (3)     | walking                 | start_over   |
// | walking          | page_arrived    | it leads nowhere (4): unproven      | confirming              | ask_identity |
// | walking          | page_arrived    | likewise, without identity          | publishing              | publish      |
// | walking          | dropped         | page 1 is asked for                 | walking                 | fetch_page   |
// | walking          | page_past_end   | all came, a closing look is due     | closing                 | fetch_page   |
// | walking          | page_past_end   | as the last page, proven            | seeking                 | find_missing |
// | walking          | page_past_end   | as any other last page              | confirming              | ask_identity |
// | walking          | page_past_end   | likewise, without identity          | publishing              | publish      |
// | walking, closing | page_past_end   | it was page 1                       | ended                   | give_up      |
// | walking          | page_refused    | published as read, unproven        | confirming              | ask_identity |
// | walking          | page_refused    | likewise, without identity          | publishing              | publish      |
// | walking          | order_refused   | page 1: asked without our order     | walking                 | fetch_page   |
// | walking, closing | order_refused   | else                                | ended                   | give_up      |
// | closing          | page_arrived    | proven, and rows may lack           | seeking                 | find_missing |
// | closing          | page_arrived    | else                                | confirming              | ask_identity |
// | closing          | page_arrived    | likewise, without identity          | publishing              | publish      |
// | seeking          | missing_found   | some can be asked for               | witnessing              | ask_witness  |
// | seeking          | missing_found   | none can                            | confirming              | ask_identity |
// | seeking          | missing_found   | likewise, without identity          | publishing              | publish      |
// | seeking          | missing_found   | some, and page 1 was early (3)      | walking                 | start_over   |
// | witnessing       | row_gone        | there is a next row                 | witnessing              | ask_witness  |
// | witnessing       | row_gone        | it was the last row                 | confirming              | ask_identity |
// | witnessing       | row_gone        | likewise, without identity          | publishing              | publish      |
// | witnessing       | row_unclear     | there is a next row                 | witnessing              | ask_witness  |
// | witnessing       | row_unclear     | it was the last row                 | confirming              | ask_identity |
// | witnessing       | row_unclear     | likewise, without identity          | publishing              | publish      |
// | witnessing       | row_there       | one is enough to hold all           | confirming              | ask_identity |
// | witnessing       | row_there       | likewise, without identity          | publishing              | publish      |
// | any request      | unauthorized    |                                     | renewing                | renew_token  |
// | any request      | unauthorized    | its token was just renewed          | ended                   | give_up      |
// | renewing         | token_renewed   | a page was refused                  | walking, closing        | fetch_page   |
// | renewing         | token_renewed   | a witness was refused               | witnessing              | ask_witness  |
// | walking          | throttled       |                                     | walking                 | fetch_page   |
// | closing          | throttled       |                                     | closing                 | fetch_page   |
// | witnessing       | throttled       |                                     | witnessing              | ask_witness  |
// | renewing         | throttled       | the token works: a page is limited  | walking, closing        | fetch_page   |
// | renewing         | throttled       | likewise, a witness                 | witnessing              | ask_witness  |
// | renewing         | throttled       | max_throttled times in a row        | ended                   | give_up      |
// | any request      | throttled       | max_throttled times in a row        | ended                   | give_up      |
// | any asking       | passing_trouble |                                     | waiting                 | wait         |
// | any asking       | passing_trouble | max_attempts times in a row         | ended                   | give_up      |
// | walking          | passing_trouble | likewise, all came (5): unproven    | confirming              | ask_identity |
// | walking          | passing_trouble | likewise, without identity          | publishing              | publish      |
// | waiting          | waited          | for a page                          | walking, closing        | fetch_page   |
// | waiting          | waited          | for the canary                      | identifying, confirming | ask_identity |
// | waiting          | waited          | for the keeper                      | renewing                | renew_token  |
// | waiting          | waited          | for a witness                       | witnessing              | ask_witness  |
// | confirming       | identity_ours   |                                     | publishing              | publish      |
// | publishing       | published       |                                     | ended                   | finish       |
// | any              | failed          |                                     | ended                   | give_up      |
// clang-format on
//
// (1) A list of several pages, if the service counts rows and newest keys came first throughout.
// (2) The service's count differs from the recalled one, in a list whose order proves nothing.
// (3) A pass published meanwhile may know these rows better.
// (4) It names a page requested before; or many pages in a row brought no new key, or very many no row. If the service
//     counts the rows and all came, this is the last page.
// (5) As many as the service counts; the list names one more page.
class PassMachine {
public:
    struct Settings {
        bool has_identity = false;
        std::string first_query;               // query of page 1, without '?'
        std::string plain_query;               // the same without the daemon's own order; "" = no order to drop
        std::string previous_key_set;          // digest of the keys that the previous walk met
        bool repeats = false;                  // see WalkFacts
        std::uint32_t max_attempts = 12;       // tries of one page, or of the canary, before the pass is given up
        std::uint32_t max_first_attempts = 4;  // the same before anything arrived: giving up early then loses nothing
        std::uint32_t max_throttled = 20;      // 429s, and 503s with Retry-After, for one page in a row
        WalkAdvance::Limits advance = {};
        bool seeks_missing = false;  // not for incremental passes: missing rows are looked for
        bool newest_first = false;   // newest keys first, requested or the service's own order
    };

    explicit PassMachine(Settings settings) : settings_(std::move(settings)) {}

    // `random` in [0, 1) spreads the waits.
    PassAction resume(PassEvent event, double random);
    PassAction page_arrived(const PageSeen& page);
    // The page comes from a walk that was interrupted.
    PassAction page_recalled(const PageSeen& page);
    PassAction missing_found(const MissingSeen& missing);
    // Call instead of requesting the next page, when what was read is too old to continue.
    PassAction start_over();

    PassState state() const { return state_; }
    const std::string& query() const { return query_; }
    // The number of the requested page in the walk, from 1; the closing look at page 1 does not count.
    std::uint32_t page_number() const { return walk_.pages + 1; }
    // Which of the missing rows is requested, from 0.
    std::size_t witness_number() const { return witness_; }
    Duration wait_time() const { return wait_time_; }
    Proof proof() const { return prove(walk_); }
    const WalkFacts& walk() const { return walk_; }
    // True if the service refused the order that the daemon chose, and it was dropped.
    bool order_was_refused() const { return order_refused_; }
    // True if the canary is asked before the first page and after the last one.
    bool asks_identity() const { return settings_.has_identity; }
    bool is_behind_first_page() const { return state_ == PassState::walking && walk_.pages > 0; }
    // True if the requested page was refused with an earlier token, and the present one is new.
    bool has_new_token() const { return tries_.was_renewed(); }
    // True if the request has failed as often as that for page 1 may before the pass is given up.
    bool has_failed_often() const { return tries_.attempts() >= settings_.max_first_attempts; }
    // True if the service did not name the requested page.
    bool is_guessing() const { return state_ == PassState::walking && guesses_; }
    // How the walk ended if the list leads nowhere: "page 3 names a next page that was already read", "page 4 is named,
    // and could not be read"; otherwise empty.
    const std::string& astray() const { return astray_; }
    // Why the machine itself gave up; empty if the driver reported the failure and knows more.
    const std::string& failure() const { return failure_; }

private:
    void begin_walk();
    bool has_moved(const PageSeen& page) const;
    bool has_all() const;
    PassAction end_of_list();
    PassAction end_astray(std::string where);
    PassAction past_end();
    PassAction begin_closing();
    PassAction after_last_page();
    PassAction next_witness();
    PassAction confirm();
    PassAction try_again(double random);
    PassAction ask_again();
    PassAction give_up(std::string why);
    PassAction follow(const PageSeen& page);
    bool ask_for(const std::string& query);

    Settings settings_;
    PassState state_ = PassState::before;
    PassState asking_ = PassState::walking;       // the state to which renewing returns
    PassState interrupted_ = PassState::walking;  // the state to which waiting returns
    std::string query_;
    WalkFacts walk_;
    WalkAdvance advance_;
    CursorChain chain_;
    PageTries tries_;
    Duration wait_time_{};
    std::uint64_t first_items_ = 0;  // rows of the first page
    std::uint64_t last_items_ = 0;   // rows of the newest page
    std::size_t witnesses_ = 0;
    std::size_t witness_ = 0;
    bool order_refused_ = false;
    bool recalled_ = false;  // the newest page was recalled
    bool early_ = false;     // the first page was early
    bool guesses_ = false;
    std::string astray_;
    std::string failure_;
};

}  // namespace shelfd::sync
