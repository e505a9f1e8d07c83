// Keeps the details of one resource: what changed at once, the oldest again in good time, as the budget allows.
#pragma once

#include "mirror/mirror.hpp"
#include "runtime/async/async_event.hpp"
#include "sync/details/detail_machine.hpp"
#include "sync/details/detail_plan.hpp"
#include "sync/details/detail_turn.hpp"
#include "sync/library/context.hpp"
#include "sync/pass/pass_report.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>

namespace shelfd::sync {

// What people are told about the details of one resource.
struct DetailReport {
    mirror::ResourceSummary summary;  // of the table of details, as the mirror said after the last turn
    mirror::DetailFacts facts;
    Trouble trouble = Trouble::none;
    std::string why;
    std::optional<Instant> trouble_since;
    std::optional<Instant> next_due;
    Progress progress;
    std::uint64_t turns = 0;
    std::uint64_t turns_failed = 0;  // of these
    std::uint64_t requests = 0;
};

// Loop only. `context` and `resource`, which has `detail`, outlive it. Remote trouble never ends `run`; cancellation
// does, after what has arrived is in the mirror.
class DetailWorker {
public:
    // `changed` is called after every change of the report.
    DetailWorker(LibraryContext& context, const config::Resource& resource, std::function<void()> changed);

    // Reads what the mirror knows.
    asio::awaitable<Result<void>> load();
    // A turn is under way.
    bool is_busy() const { return report_.progress.running; }
    // For ever: what is due.
    asio::awaitable<void> run();
    // All that is ready now, until it is done or does not advance (`--once`).
    asio::awaitable<void> run_once();

    // So many passes over the list have ended: when that is one more, rows may have changed.
    void look(std::uint64_t passes);
    // A token set arrived, which may let it go on.
    void wake_if_blocked();

    const DetailReport& report() const { return report_; }
    const config::Resource& resource() const { return resource_; }
    std::string name() const { return resource_.name + "_detail"; }
    // The resource whose rows name the items.
    const std::string& list() const { return resource_.name; }

private:
    asio::awaitable<void> wait_until_due();
    void plan_at(Instant due);
    // True when there was something to do and nothing keeps it from going on.
    asio::awaitable<bool> turn();
    asio::awaitable<bool> may_ask();
    asio::awaitable<bool> fetch(const DetailPlan::Turn& next);
    asio::awaitable<DetailTurnReport> carry_out(MoreDetails first);
    asio::awaitable<MoreDetails> more(budget::Purpose lowest, const std::set<std::string>& under_way);
    asio::awaitable<Result<void>> read_summary();
    asio::awaitable<Result<void>> read_facts();
    asio::awaitable<void> pause(Trouble trouble, std::string why);
    asio::awaitable<void> go_on();
    asio::awaitable<void> publish_trouble();
    void measure(std::uint64_t answered, bool saturated);
    // Requests a minute that it got while it could have used more; nothing when that was not so for long enough.
    std::optional<double> measured_per_minute() const;
    bool keeps_up() const;
    std::string notice() const;
    mirror::DetailRun run_line();

    LibraryContext& context_;
    const config::Resource& resource_;
    DetailPlan plan_;
    DetailMachine machine_;
    DetailReport report_;
    PassBoard board_;  // of `report_`
    mirror::DetailRun run_;
    Instant due_;
    BootTime due_boot_;                   // as it was on this clock when `due_` was chosen
    std::optional<BootTime> busy_since_;  // there was more to fetch than was fetched
    std::uint64_t answered_since_ = 0;
    std::string told_;            // what the mirror was told
    std::string logged_;          // the trouble that the log has; "" = none
    DetailTurn* turn_ = nullptr;  // that is under way
    bool list_changed_ = false;
    std::uint64_t passes_ = 0;  // over the list, that were looked behind
    AsyncEvent wake_;
};

}  // namespace shelfd::sync
