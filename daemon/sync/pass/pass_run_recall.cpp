// Going on with a walk that a crash, a stop or an outage cut short; waiting, and beginning anew.
#include "sync/pass/pass_run.hpp"

#include <algorithm>
#include <utility>

namespace shelfd::sync {
namespace {

// Nobody knows any more how long the first page took.
constexpr Duration max_answer = std::chrono::minutes(1);

}  // namespace

// The next page, where that walk had got it; nothing: the service is to be asked.
asio::awaitable<std::optional<PassAction>> PassRun::recall_page()
{
    auto start = pass_start();
    auto work = [this, &start] { return staged_.recall(machine_.query(), start); };
    auto seen = co_await context_.lane.run(work);
    if (!seen) {
        co_return fail_with(seen.error());
    }
    if (!*seen) {
        co_return std::nullopt;
    }
    as_of_ = start.as_of;
    report_.read_at = as_of_ - max_answer;
    generation_ = start.token_generation;
    first_generation_ = machine_.walk().pages == 0 ? generation_ : first_generation_;
    vouching_.answer_arrived(context_.clock.boot_now());
    vouching_.rows_arrived((*seen)->fresh);
    ++report_.recalled;
    show_page(**seen);
    progress_.note = "goes on with the walk of " + as_of_.to_short_text();
    co_return machine_.page_recalled(**seen);
}

asio::awaitable<PassAction> PassRun::start_over()
{
    auto work = [this] { staged_.begin_anew(); };
    co_await context_.lane.run(work);
    fetcher_.fetch_ahead({});
    asked_early_ = false;
    report_.recalled = 0;
    vouching_.begin_anew();
    progress_.rows = 0;
    if (std::exchange(must_queue_, false)) {
        progress_.phase = Phase::queued;
        changed_();
        leave_place();
        co_await line_.turn->wait_until_free();
        take_place_again();
    }
    co_return resume(PassEvent::dropped);
}

// A list may turn out to be long while others as long are walked: when its turn comes its rows have moved.
bool PassRun::must_queue(const PageSeen& seen)
{
    if (plan_.kind != PassKind::full || plan_.slice || line_.turn == nullptr) {
        return false;
    }
    const auto counted = seen.count.value_or(0) / std::max<std::uint64_t>(seen.items, 1);
    must_queue_ = !line_.turn->may_go_on(std::max<std::uint64_t>(machine_.walk().pages, counted));
    return must_queue_;
}

// To a question whether there is more, which no page answered.
asio::awaitable<PassAction> PassRun::handle_refusal(int status)
{
    auto take = [this, status] { return staged_.handle_refusal(status); };
    co_return machine_.page_arrived(co_await context_.lane.run(take));
}

// The limiter lets others go on meanwhile.
asio::awaitable<PassAction> PassRun::wait_until_open()
{
    co_await pause(std::exchange(report_.closed_for, Duration(0)));
    co_return resume(PassEvent::throttled);
}

asio::awaitable<PassAction> PassRun::wait()
{
    co_await pause(machine_.wait_time());
    co_return resume(PassEvent::waited);
}

asio::awaitable<void> PassRun::pause(Duration time)
{
    progress_.phase = Phase::waiting;
    hold_up();
    changed_();
    if (line_.turn != nullptr) {
        line_.turn->pause();
    }
    leave_place();
    co_await context_.clock.sleep_for(time);
    if (line_.turn != nullptr && machine_.walk().pages == 0) {
        co_await line_.turn->wait_until_free();
    } else if (line_.turn != nullptr) {
        line_.turn->go_on();
    }
    take_place_again();
}

// While it waits for what is not ours, other libraries may work.
void PassRun::leave_place()
{
    if (line_.place != nullptr) {
        line_.place->pause();
    }
}

void PassRun::leave_place_if_spent()
{
    if (context_.limiter.is_spent(line_.purpose)) {
        leave_place();
    }
}

void PassRun::take_place_again()
{
    if (line_.place != nullptr) {
        line_.place->go_on();
    }
}

}  // namespace shelfd::sync
