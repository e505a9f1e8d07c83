// Carries out one pass over one resource: the driver of PassMachine.
#pragma once

#include "sync/library/context.hpp"
#include "sync/pass/page_fetcher.hpp"
#include "sync/pass/pass_machine.hpp"
#include "sync/pass/pass_report.hpp"
#include "sync/pass/staged_walk.hpp"
#include "sync/pass/vouching.hpp"
#include "sync/plan/pass_plan.hpp"
#include "sync/service/page_answer.hpp"

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::sync {

// The passes of a round before one of its passes.
struct RoundSoFar {
    std::optional<Instant> as_of = {};  // of the first; nothing when there was none
    bool proven = true;                 // all of them, and of a ledger what lies behind them
    budget::Tally spent = {};           // by those that make one run with it
    bool ends = true;                   // it is the last one, and says what the table as a whole is as of
};

// One object a pass. Loop only. Cancelling `run` drops what was staged before it unwinds; the mirror stays as it is.
// Throws for cancellation only.
class PassRun {
public:
    // `line` outlives it. `progress` is written as the pass goes on, and `changed` called after each write.
    PassRun(LibraryContext& context, const config::Resource& resource, PassPlan plan, RequestLine& line,
            Progress& progress, std::function<void()> changed);

    // Asks for the first page now, while another pass of the round goes on, so that `run` finds it here. Only behind
    // passes that told whose the token is.
    void ask_early();
    // Returns when that page is here, or at `latest`.
    asio::awaitable<void> await_early(BootTime latest) { return fetcher_.await_ahead(latest); }
    // Before `run`: what passes behind this one have under way; see Vouching.
    void wait_for(Vouching::Others others) { vouching_.wait_for(std::move(others)); }
    // Instead of `run`: ends what that began. What was sent.
    asio::awaitable<budget::Tally> abandon();

    // What it publishes is late at `late_at` unless published again; without it, by the age of its rows. `round`: the
    // pass belongs to one, of which this is known so far. For lists by parent the round records failures, not this
    // class.
    asio::awaitable<PassReport> run(std::string run_id, std::optional<Instant> late_at,
                                    std::optional<RoundSoFar> round = {});

private:
    asio::awaitable<void> carry_out();
    asio::awaitable<PassAction> run_machine();
    asio::awaitable<PassAction> perform(PassAction action);
    asio::awaitable<PassAction> ask_identity();
    asio::awaitable<PassAction> fetch_page();
    asio::awaitable<PassAction> find_missing();
    asio::awaitable<PassAction> ask_witness();
    PassAction hear(const mirror::MissingRow& row, RowAnswer answer, std::string refusal);
    asio::awaitable<RowAnswer> check_for_move(const mirror::MissingRow& row, std::string item);
    asio::awaitable<PassAction> renew_token();
    asio::awaitable<PassAction> wait();
    asio::awaitable<PassAction> wait_until_open();
    asio::awaitable<void> pause(Duration time);
    void leave_place();
    void leave_place_if_spent();
    void take_place_again();
    asio::awaitable<PassAction> publish();
    asio::awaitable<void> record_failure();

    // pass_run_recall.cpp: a walk that was cut short
    asio::awaitable<std::optional<PassAction>> recall_page();
    asio::awaitable<PassAction> start_over();

    asio::awaitable<Fetched> next_page();
    asio::awaitable<PassAction> judge(Fetched page);
    bool may_wait(std::uint64_t bytes);
    asio::awaitable<PassAction> handle_page(http::Response response, bool was_ahead);
    asio::awaitable<PassAction> handle_refusal(int status);
    bool must_queue(const PageSeen& seen);
    // Canaries and the making of the plan included.
    budget::Tally spent() const;
    Instant time_of(const http::Response& response) const;
    mirror::PassStart pass_start() const;
    void show_page(const PageSeen& seen);
    mirror::Proof mirror_proof() const;
    Learned learned() const;
    std::optional<Unbrought> search_unbrought() const;
    std::string remark() const;
    std::string remark_on_end() const;
    void hold_up();
    PassAction trouble_with_token(const Error& error);
    PassAction fail(Trouble trouble, std::string why);
    PassAction fail_with(const Error& error);
    PassAction walk_again(std::string why);
    PassAction resume(PassEvent event) { return machine_.resume(event, context_.random()); }

    LibraryContext& context_;
    const config::Resource& resource_;
    PassPlan plan_;
    Progress& progress_;
    std::function<void()> changed_;

    PassMachine machine_;
    RequestLine& line_;
    std::optional<ByteRoom::Share> waiting_rows_;  // while rows of this walk wait to be written
    PageFetcher fetcher_;
    bool asked_early_ = false;
    StagedWalk staged_;
    Vouching vouching_;
    std::vector<mirror::MissingRow> missing_;  // rows to ask for by themselves
    bool held_is_there_ = false;               // one that was missing before, and is held since
    PassReport report_;
    std::uint64_t generation_ = 0;  // of the token set that the newest answer was asked with
    std::uint64_t renewed_ = 0;     // the newest one that the keeper gave us for a refused one
    Instant as_of_;
    std::optional<Instant> late_at_;
    std::optional<RoundSoFar> round_;
    std::string refused_because_;         // WWW-Authenticate of the last 401
    std::string last_trouble_;            // what the last passing trouble was
    std::uint64_t first_generation_ = 0;  // of the token set, that page 1 was asked with
    bool rows_are_at_fault_ = false;      // of the newest page: no time mends that
    bool query_was_refused_ = false;      // the newest answer was 400
    bool must_queue_ = false;             // until a list as long as this one may be walked
    bool pages_are_spent_ = false;        // whoever goes on with them fails as well
};

}  // namespace shelfd::sync
