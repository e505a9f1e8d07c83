// One turn of a queue of details: its first items, and more while it runs.
#include "sync/details/detail_worker.hpp"
#include "sync/library/mirror_claim.hpp"
#include "sync/library/run_id.hpp"
#include "sync/trouble/error_source.hpp"
#include "sync/trouble/scope.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <exception>
#include <utility>

namespace shelfd::sync {
namespace {

constexpr Duration min_look = std::chrono::minutes(1);
// All batches within this time are one run.
constexpr Duration max_run = std::chrono::hours(1);

}  // namespace

asio::awaitable<bool> DetailWorker::turn()
{
    list_changed_ = false;
    if (std::exchange(tries_again_, false)) {
        auto end = [this] { return context_.mirror.end_postponement(resource_.name); };
        if (const auto ended = co_await context_.lane.run(end); !ended) {
            co_await pause(trouble_of(ended.error()), ended.error().text(), source_of(ended.error()));
            co_return false;
        }
    }
    if (const auto counted = co_await read_facts(); !counted) {
        co_await pause(trouble_of(counted.error()), counted.error().text(), source_of(counted.error()));
        co_return false;
    }
    const auto next = plan_.next(report_.facts, context_.clock.now());
    if (next.is_idle()) {
        measure(0, false);
        plan_at(next.look_again);
        co_await go_on();
        co_return false;
    }
    co_return co_await may_ask() && co_await fetch(next);
}

asio::awaitable<bool> DetailWorker::may_ask()
{
    if (const auto granted = context_.keeper.status().scope; lacks_scope(granted, resource_.needs)) {
        co_await pause(Trouble::forbidden, describe_missing_scope(granted, resource_.needs), TroubleSource::scope);
        co_return false;
    }
    auto ours = co_await context_.identity.confirm(detail_identity_max_age(context_));
    if (ours.trouble == Trouble::none) {
        ours = co_await claim_mirror(context_, Claim::look);
    }
    if (ours.trouble != Trouble::none) {
        co_await pause(ours.trouble, std::move(ours.why), ours.source);
        co_return false;
    }
    co_return true;
}

asio::awaitable<bool> DetailWorker::fetch(const DetailPlan::Turn& next)
{
    auto share = next.share;
    if (machine_.tries_one()) {
        share = {.ready = 1, .again = 0, .sample = context_.random()};
    }
    auto choose = [this, &share] { return context_.mirror.next_details(resource_.name, share); };
    auto items = co_await context_.lane.run(choose);
    if (!items) {
        co_await pause(trouble_of(items.error()), items.error().text(), source_of(items.error()));
        co_return false;
    }
    if (items->empty()) {
        plan_at(context_.clock.now() + min_look);  // an immediate second look would find the same
        co_return false;
    }
    const bool again = share.ready == 0;
    MoreDetails first{std::move(*items), again ? budget::Purpose::rolling : budget::Purpose::detail};
    auto ended = co_await carry_out(std::move(first));
    report_.requests += ended.requests;
    ++report_.turns;
    measure(ended.answered, !again || report_.facts.overdue > 0);
    if (ended.trouble == Trouble::none && machine_.trouble() != Trouble::none) {
        ended.trouble = machine_.trouble();
        ended.why = ended.fault;
        ended.source = ended.fault_source;
    }
    if (ended.trouble != Trouble::none) {
        ++report_.turns_failed;
        co_await pause(ended.trouble, std::move(ended.why), ended.source);
        co_return false;
    }
    plan_at(context_.clock.now());
    co_await go_on();
    co_return true;
}

asio::awaitable<DetailTurnReport> DetailWorker::carry_out(MoreDetails first)
{
    board_.begin_details(context_.clock.now(), first.items.size());
    auto lowest = first.purpose;
    DetailTurn::Supply supply = [this,
                                 &lowest](const std::set<std::string>& under_way) -> asio::awaitable<MoreDetails> {
        auto found = co_await more(lowest, under_way);
        lowest = std::min(lowest, found.purpose);
        co_return found;
    };
    DetailTurn turn(context_, resource_, machine_, run_line(), board_);
    turn_ = &turn;
    counted_of_turn_ = 0;
    std::exception_ptr cancelled;
    DetailTurnReport ended;
    try {
        ended = co_await turn.run(std::move(first), std::move(supply));
    } catch (...) {
        cancelled = std::current_exception();
    }
    turn_ = nullptr;
    board_.end();
    if (cancelled) {
        std::rethrow_exception(cancelled);
    }
    co_return ended;
}

// Further items for the turn under way. Refreshes wait for a turn of their own if this one is for changed items.
asio::awaitable<MoreDetails> DetailWorker::more(budget::Purpose lowest, const std::set<std::string>& under_way)
{
    if (const auto counted = co_await read_facts(); !counted) {
        co_return MoreDetails{};  // the next turn meets the same error and reports it
    }
    auto share = plan_.next(report_.facts, context_.clock.now()).share;
    const auto purpose = share.ready > 0 ? budget::Purpose::detail : budget::Purpose::rolling;
    if (purpose > lowest || share.ready + share.again == 0) {
        co_return MoreDetails{};
    }
    // `ready` includes them; refreshes are counted from the last one published.
    share.ready += share.ready > 0 ? under_way.size() : 0;
    auto choose = [this, &share] { return context_.mirror.next_details(resource_.name, share); };
    auto items = co_await context_.lane.run(choose);
    if (!items) {
        co_return MoreDetails{};
    }
    std::erase_if(*items, [&under_way](const auto& item) { return under_way.contains(item.key); });
    board_.expect_items(items->size());
    const auto found_for = items->empty() ? lowest : purpose;
    co_return MoreDetails{std::move(*items), found_for};
}

mirror::DetailRun DetailWorker::run_line()
{
    const auto now = context_.clock.now();
    if (run_.run_id.empty() || now - run_.started > max_run || now < run_.started) {
        run_.run_id = make_run_id(now, context_.random());
        run_.started = now;
    }
    run_.keeps_up = keeps_up();
    return run_;
}

}  // namespace shelfd::sync
