// Carries out one pass over one resource: the driver of PassMachine.
#pragma once

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

// One object a pass. Loop only. Cancelling `run` drops what was staged before it unwinds; the mirror stays as it is.
// Throws for cancellation only.
class PassRun {
public:
    // `line` and `board` outlive it.
    PassRun(LibraryContext& context, const config::Resource& resource, PassPlan plan, RequestLine& line,
            PassBoard& board);

    // Asks for the first page now, while another pass of the round goes on, so that `run` finds it here. Only after a
    // pass that found out whose token it is.
    void ask_early();
    // Returns when that page is here, or at `latest`.
    asio::awaitable<void> await_early(BootTime latest) { return fetcher_.await_ahead(latest); }
    // Before `run`: waits for the requests of the passes after this one; see Vouching.
    void wait_for(Vouching::Others others) { vouching_.wait_for(std::move(others)); }
    // Instead of `run`: ends that request. Returns what was sent.
    asio::awaitable<budget::Tally> abandon();

    // What it publishes is late at `late_at` unless published again; without it, by the age of its rows. `round`: the
    // pass belongs to one, of which this is known so far. For lists by parent the round records failures, not this
    // class.
    asio::awaitable<PassReport> run(std::string run_id, std::optional<Instant> late_at,
                                    std::optional<RoundSoFar> round = {});

private:
    // What was wrong with the newest page.
    enum class PageFault {
        none,
        query,  // it was answered 400
        rows,   // waiting does not mend these
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
    asio::awaitable<PassAction> wait_until_open();
    asio::awaitable<void> pause(Duration time);
    void leave_place();
    void take_place_again();
    void answer_arrived(const Fetched& answer);
    PassAction trouble_with_token(const Error& error);
    PassAction fail(Trouble trouble, std::string why);
    PassAction fail_with(const Error& error);
    PassAction walk_again(std::string why);
    PassAction resume(PassEvent event) { return machine_.resume(event, context_.random()); }

    // pass_run_pages.cpp
    asio::awaitable<PassAction> fetch_page();
    asio::awaitable<std::optional<PassAction>> recall_page();
    asio::awaitable<Fetched> next_page();
    asio::awaitable<PassAction> judge(Fetched page);
    bool may_wait(std::uint64_t bytes);
    asio::awaitable<PassAction> handle_page(http::Response response, bool was_ahead);
    asio::awaitable<PassAction> handle_refusal(int status);
    bool must_queue(const PageSeen& seen);
    Instant time_of(const http::Response& response) const;
    mirror::PassStart pass_start() const;
    void show_page(const PageSeen& seen);

    // pass_run_publish.cpp
    asio::awaitable<PassAction> publish();
    asio::awaitable<void> record_failure();
    EndedWalk ended_walk() const;
    Learned learned() const;
    // Canaries and the making of the plan included.
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
    Witnesses witnesses_;
    WalkToken token_;
    PassReport report_;
    Instant as_of_;
    std::optional<Instant> late_at_;
    std::optional<RoundSoFar> round_;
    std::string last_trouble_;  // what the last passing trouble was
    PageFault page_fault_ = PageFault::none;
    bool must_queue_ = false;       // before the walk starts over: until a list as long as this one may be walked
    bool pages_are_spent_ = false;  // a walk that resumes with them fails as well
};

}  // namespace shelfd::sync
