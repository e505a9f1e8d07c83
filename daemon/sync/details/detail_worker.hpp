// Keeps the details of one resource: changed ones at once, the oldest again in time, as the limit allows.
#pragma once

#include "mirror/mirror.hpp"
#include "runtime/async/async_event.hpp"
#include "sync/details/detail_machine.hpp"
#include "sync/details/detail_plan.hpp"
#include "sync/details/detail_turn.hpp"
#include "sync/library/context.hpp"
#include "sync/pass/pass_report.hpp"
#include "sync/trouble/dead_set.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>

namespace shelfd::sync {

// The status of the details of one resource.
struct DetailReport {
    mirror::ResourceSummary summary;  // of the table of details, read after the last turn
    mirror::DetailFacts facts;
    Trouble trouble = Trouble::none;
    std::string why;
    TroubleSource source = TroubleSource::service;  // of that trouble
    std::optional<Instant> trouble_since;
    std::optional<Instant> next_due;
    Progress progress;
    std::uint64_t turns = 0;
    std::uint64_t turns_failed = 0;  // of these
    std::uint64_t requests = 0;
};

// Loop only. `context` and `resource`, which has `detail`, must outlive this object. Remote trouble never ends `run`;
// cancellation does, once the mirror has what has arrived.
class DetailWorker {
public:
    // `changed` is called after every change of the report.
    DetailWorker(LibraryContext& context, const config::Resource& resource, std::function<void()> changed);

    // Reads what the mirror knows.
    asio::awaitable<Result<void>> load();
    // The same, but only what the status shows of the table, also while a turn is under way.
    asio::awaitable<Result<void>> read_summary();
    // True while a turn is under way.
    bool is_busy() const { return report_.progress.running; }
    // Fetches what is due, for ever.
    asio::awaitable<void> run();
    // Fetches all that is ready, until it is done or does not advance (`--once`).
    asio::awaitable<void> run_once();

    // `passes` passes over the list have ended: if that is more than before, rows may have changed.
    void look(std::uint64_t passes);
    // A token set arrived, which may end the trouble.
    void wake_if_blocked();
    // A person wants what is not fetched: trouble may be over, and items that were postponed are tried again, every ten
    // minutes at most.
    void try_again();
    // The wall clock was set.
    void recheck_due() { wake_.notify_all(); }

    const DetailReport& report() const { return report_; }
    // Details in the table now, also while a turn is under way.
    std::uint64_t rows() const;
    const config::Resource& resource() const { return resource_; }
    std::string name() const { return resource_.name + "_detail"; }
    // The resource whose rows name the items.
    const std::string& list() const { return resource_.name; }

private:
    asio::awaitable<void> wait_until_due();
    void plan_at(Instant due);
    // True if there was something to do and the queue can continue.
    asio::awaitable<bool> turn();
    asio::awaitable<bool> may_ask();
    asio::awaitable<bool> fetch(const DetailPlan::Turn& next);
    asio::awaitable<DetailTurnReport> carry_out(MoreDetails first);
    asio::awaitable<MoreDetails> more(budget::Purpose lowest, const std::set<std::string>& under_way);
    asio::awaitable<Result<void>> read_facts();
    asio::awaitable<void> pause(Trouble trouble, std::string why, TroubleSource source = TroubleSource::service);
    asio::awaitable<void> go_on();
    asio::awaitable<void> publish_trouble();
    void measure(std::uint64_t answered, bool saturated);
    // Requests a minute that it was given while it could have used more; empty if that time was too short.
    std::optional<double> measured_per_minute() const;
    bool keeps_up() const;
    std::string notice() const;
    mirror::DetailRun run_line();

    LibraryContext& context_;
    const config::Resource& resource_;
    DetailPlan plan_;
    DetailMachine machine_;
    DetailReport report_;
    DeadSetNotice dead_set_;
    PassBoard board_;  // writes `report_.progress`
    mirror::DetailRun run_;
    Instant due_;
    BootTime due_boot_;                   // `due_` on the boot clock, when it was chosen
    std::optional<BootTime> busy_since_;  // since when there was more to fetch than was fetched
    std::uint64_t answered_since_ = 0;
    std::string told_;                   // the state last written to the mirror
    std::string logged_;                 // the trouble last logged; "" = none
    DetailTurn* turn_ = nullptr;         // the turn under way
    std::uint64_t counted_of_turn_ = 0;  // rows added by it that are in `report_.facts`
    bool list_changed_ = false;
    bool tries_again_ = false;
    std::optional<BootTime> tried_again_at_;
    std::uint64_t passes_ = 0;  // passes over the list seen so far
    AsyncEvent wake_;
};

}  // namespace shelfd::sync
