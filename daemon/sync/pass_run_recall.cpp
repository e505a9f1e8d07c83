// Going on with a walk that a crash, a stop or an outage cut short.
#include "sync/pass_run.hpp"

namespace shelfd::sync {
namespace {

// Nobody knows any more how long the first page took.
constexpr Duration longest_answer = std::chrono::minutes(1);

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
    report_.read_at = as_of_ - longest_answer;
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
    co_return resume(PassEvent::dropped);
}

// To a question whether there is more, which no page answered.
asio::awaitable<PassAction> PassRun::take_refusal(int status)
{
    auto take = [this, status] { return staged_.take_refusal(status); };
    co_return machine_.page_arrived(co_await context_.lane.run(take));
}

}  // namespace shelfd::sync
