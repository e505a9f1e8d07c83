// Carries out one pass over one resource: the driver of PassMachine.
#pragma once

#include "mirror/json/content_hash.hpp"
#include "sync/library/context.hpp"
#include "sync/library/progress.hpp"
#include "sync/pass/page_fetcher.hpp"
#include "sync/pass/pass_machine.hpp"
#include "sync/pass/pass_report.hpp"
#include "sync/pass/staged_walk.hpp"
#include "sync/pass/vouching.hpp"
#include "sync/pass/walk_outcome.hpp"
#include "sync/pass/walk_token.hpp"
#include "sync/pass/witnesses.hpp"
#include "sync/plan/pass_plan.hpp"
#include "sync/service/page_answer.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace shelfd::sync {

// One object for each pass. Loop only. If `run` is cancelled it drops what was staged before it unwinds; the mirror
// does not change. Throws for cancellation only.
class PassRun {
public:
    // `line` and `board` must outlive this object.
    PassRun(LibraryContext& context, const config::Resource& resource, PassPlan plan, RequestLine& line,
            PassBoard& board);

    // Requests the first page now, while another pass of the round is running, so that `run` has it without a wait.
    // Call only after a pass that asked the canary.
    void ask_early();
    // Returns when that page has arrived, or at `latest`.
    asio::awaitable<void> await_early(BootTime latest) { return fetcher_.await_ahead(latest); }
    // Call before `run`: waits for the requests of the passes after this one; see Vouching.
    void wait_for(Vouching::Others others) { vouching_.wait_for(std::move(others)); }
    // Call instead of `run`: cancels that request. Returns what was sent.
    asio::awaitable<budget::Tally> abandon();

    // The published rows are late at `late_at` unless published again; without it, by their age. `round`: what is known
    // so far of the round to which the pass belongs. For lists by parent the round records failures, not this class.
    asio::awaitable<PassReport> run(std::string run_id, std::optional<Instant> late_at,
                                    std::optional<RoundSoFar> round = {});

private:
    // What was wrong with the newest page.
    enum class PageFault {
        none,
        query,  // it was answered 400
        rows,   // its rows; waiting does not cure them
    };

    asio::awaitable<void> carry_out();
    asio::awaitable<PassAction> run_machine();
    asio::awaitable<PassAction> perform(PassAction action);
    asio::awaitable<PassAction> ask_identity();
    asio::awaitable<PassAction> find_missing();
    asio::awaitable<PassAction> ask_witness();
    asio::awaitable<PassAction> renew_token();
    asio::awaitable<PassAction> start_over();
    asio::awaitable<PassAction> wait();
    asio::awaitable<PassAction> wait_until_open(Duration closed);
    asio::awaitable<void> pause(Duration time);
    void leave_place();
    void take_place_again();
    void answer_arrived(const Fetched& answer);
    PassAction trouble_with_token(const Error& error);
    PassAction fail(Trouble trouble, std::string why, TroubleSource source = TroubleSource::service);
    PassAction fail_with(const Error& error);
    PassAction walk_again(std::string why);
    PassAction resume(PassEvent event) { return machine_.resume(event, context_.random()); }

    // pass_run_pages.cpp
    asio::awaitable<PassAction> fetch_page();
    asio::awaitable<std::optional<PassAction>> recall_page();
    asio::awaitable<Fetched> next_page();
    asio::awaitable<Fetched> fetch_as(budget::Reason reason);
    asio::awaitable<PassAction> judge(Fetched page);
    asio::awaitable<PassAction> page_denied(int status);
    bool may_wait(std::uint64_t bytes);
    asio::awaitable<PassAction> refused(const http::Response& response);
    asio::awaitable<PassAction> handle_page(Fetched page);
    PassAction page_failed(const Error& error, bool closes);
    asio::awaitable<PassAction> handle_refusal(int status);
    bool must_queue(const PageSeen& seen);
    mirror::PassStart pass_start() const;
    void show_page(const PageSeen& seen);

    // pass_run_publish.cpp
    Duration identity_max_age(bool is_behind) const;
    bool must_confirm() const;
    asio::awaitable<bool> lacks_proven_rows(bool goes_on);
    asio::awaitable<Result<Vouching::Rows>> weigh_loss();
    asio::awaitable<Result<void>> count_taken();
    asio::awaitable<PassAction> publish();
    asio::awaitable<void> tell_of_obstacle();
    asio::awaitable<void> record_failure();
    EndedWalk ended_walk() const;
    Learned learned() const;
    // Including canaries and the requests made for the plan.
    budget::Tally spent() const;

    LibraryContext& context_;
    const config::Resource& resource_;
    PassPlan plan_;
    PassBoard& board_;

    PassMachine machine_;
    RequestLine& line_;
    std::optional<ByteRoom::Share> waiting_rows_;  // while rows of this walk wait to be written
    PageFetcher fetcher_;
    bool asked_early_ = false;
    StagedWalk staged_;
    Vouching vouching_;
    std::optional<mirror::ContentHash> first_body_;  // of the first page, if it was requested
    mirror::ValueLoss loss_;
    mirror::TakenRows taken_;
    Witnesses witnesses_;
    WalkToken token_;
    PassReport report_;
    Instant as_of_;
    std::optional<Instant> late_at_;
    std::optional<RoundSoFar> round_;
    struct Obstacle {
        std::string why;  // "" = none yet
        TroubleSource source = TroubleSource::service;
    };
    Obstacle last_trouble_;  // the last passing one
    PageFault page_fault_ = PageFault::none;
    int refused_page_ = 0;          // see EndedWalk
    bool must_queue_ = false;       // the walk starts over when a list of its length may be walked
    bool pages_are_spent_ = false;  // a walk that resumes with them would fail as well
};

}  // namespace shelfd::sync
