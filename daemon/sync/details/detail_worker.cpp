#include "sync/details/detail_worker.hpp"

#include "sync/trouble/blocked.hpp"
#include "sync/trouble/error_source.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace shelfd::sync {
namespace {

// Nothing is known to need it: what changes the due time wakes the task.
constexpr Duration max_wait = std::chrono::hours(1);
// A measurement over a shorter time is not reliable.
constexpr Duration min_measured = std::chrono::minutes(3);
// Of items that fail, however often a person's programs ask.
constexpr Duration between_tries = std::chrono::minutes(10);

}  // namespace

DetailWorker::DetailWorker(LibraryContext& context, const config::Resource& resource, std::function<void()> changed)
    : context_(context), resource_(resource), plan_(resource.detail->refresh_within),
      board_(report_.progress, std::move(changed)), due_(context.clock.now()), due_boot_(context.clock.boot_now())
{
}

asio::awaitable<Result<void>> DetailWorker::load()
{
    SHELFD_CO_TRY(co_await read_summary());
    auto facts = co_await read_facts();
    board_.changed();
    co_return facts;
}

asio::awaitable<Result<void>> DetailWorker::read_summary()
{
    auto read = [this] { return context_.mirror.summary(name()); };
    SHELFD_CO_TRY_ASSIGN(summary, co_await context_.lane.run(read));
    if (summary) {
        report_.summary = *summary;
    }
    board_.changed();
    co_return Result<void>();
}

std::uint64_t DetailWorker::rows() const
{
    return report_.facts.fetched + (turn_ != nullptr ? turn_->added() - counted_of_turn_ : 0);
}

asio::awaitable<Result<void>> DetailWorker::read_facts()
{
    auto count = [this] { return context_.mirror.details(resource_.name, plan_.again_before(context_.clock.now())); };
    SHELFD_CO_TRY_ASSIGN(facts, co_await context_.lane.run(count));
    report_.facts = std::move(facts);
    counted_of_turn_ = turn_ != nullptr ? turn_->added() : 0;
    if (report_.facts.fetched > 0) {
        machine_.something_is_there();
    }
    co_return Result<void>();
}

asio::awaitable<void> DetailWorker::run()
{
    for (;;) {
        co_await wait_until_due();
        co_await turn();
    }
}

asio::awaitable<void> DetailWorker::run_once()
{
    while (co_await turn()) {
    }
}

asio::awaitable<void> DetailWorker::wait_until_due()
{
    for (;;) {
        // The wall clock may be set back; the boot clock never is.
        const auto now = context_.clock.now();
        const auto wait = list_changed_ ? Duration(0) : std::min(due_ - now, due_boot_ - context_.clock.boot_now());
        const auto left = std::max(wait, context_.quiet.end_after(now) - now);
        if (left <= Duration(0)) {
            list_changed_ = false;
            co_return;
        }
        const auto set = context_.keeper.status();
        if (dead_set_.update(report_, context_.library.name, set)) {
            co_await publish_trouble();
            board_.changed();
        }
        const auto look = std::min(std::min(left, max_wait), time_to_live(set, context_.clock.now()));
        co_await context_.clock.wait_until(context_.clock.boot_now() + look, wake_);
    }
}

void DetailWorker::plan_at(Instant due)
{
    due_ = due;
    due_boot_ = context_.clock.boot_now() + (due - context_.clock.now());
    report_.next_due = context_.quiet.end_after(due);
}

void DetailWorker::look(std::uint64_t passes)
{
    if (std::exchange(passes_, passes) == passes) {
        return;
    }
    // In trouble the wait continues: changed items stay in the queue.
    list_changed_ = report_.trouble == Trouble::none;
    wake_.notify_all();
    if (turn_ != nullptr) {
        turn_->look_again();
    }
}

void DetailWorker::wake_if_blocked()
{
    if (report_.trouble != Trouble::none) {
        if (report_.trouble == Trouble::needs_person) {
            report_.trouble = Trouble::none;
            report_.why.clear();
            report_.trouble_since.reset();
        }
        plan_at(context_.clock.now());
        wake_.notify_all();
    }
}

void DetailWorker::try_again()
{
    wake_if_blocked();
    const auto now = context_.clock.boot_now();
    const bool is_soon = tried_again_at_ && now - *tried_again_at_ < between_tries;
    if (report_.facts.behind > 0 && !is_soon) {
        tries_again_ = true;
        tried_again_at_ = now;
        plan_at(context_.clock.now());
        wake_.notify_all();
    }
}

asio::awaitable<void> DetailWorker::pause(Trouble trouble, std::string why, TroubleSource source)
{
    const auto now = context_.clock.now();
    if (trouble != report_.trouble) {
        report_.trouble_since = now;
    }
    report_.trouble = trouble;
    report_.source = source;
    report_.why = std::move(why);
    plan_at(now + machine_.pause(trouble, context_.random()));
    measure(0, false);
    if (std::exchange(logged_, report_.why) != report_.why) {
        context_.log.warning(fmt::format("details of {} of {} not fetched: {}; next try at {}", resource_.name,
                                         context_.library.name, report_.why, due_.to_short_text()),
                             {{"library", context_.library.name},
                              {"resource", name()},
                              {"run_id", run_.run_id},
                              {"state", to_string(trouble)}});
    }
    co_await publish_trouble();
}

asio::awaitable<void> DetailWorker::go_on()
{
    const bool was_filled = report_.facts.filled;
    report_.trouble = Trouble::none;
    report_.source = TroubleSource::service;
    report_.trouble_since.reset();
    logged_.clear();
    if (const auto counted = co_await read_facts(); !counted) {
        co_await pause(trouble_of(counted.error()), counted.error().text(), source_of(counted.error()));
        co_return;
    }
    report_.why = notice();
    if (report_.facts.filled && !was_filled) {
        context_.log.info(fmt::format("details of {} of {} fetched: {} of {} rows, {} answered 404", resource_.name,
                                      context_.library.name, report_.facts.fetched, report_.facts.rows,
                                      report_.facts.gone),
                          {{"library", context_.library.name}, {"resource", name()}, {"run_id", run_.run_id}});
    }
    co_await publish_trouble();
}

asio::awaitable<void> DetailWorker::publish_trouble()
{
    mirror::ResourceState state;
    state.blocked = blocked_of(report_.trouble);
    state.why = report_.why;
    state.cause = report_.source;
    state.since = report_.trouble_since;
    state.next_due = report_.next_due;
    auto told = fmt::format("{} {}", to_string(report_.trouble), report_.why);
    if (told != told_ || report_.trouble != Trouble::none) {
        auto tell = [this, &state] { return context_.mirror.set_state(name(), state); };
        if (const auto done = co_await context_.lane.run(tell); !done) {
            report_.trouble_since = report_.trouble_since.value_or(context_.clock.now());
            report_.trouble = Trouble::storage;
            report_.source = source_of(done.error());
            report_.why = "cannot update the mirror: " + done.error().text();
        }
        told_ = std::move(told);
    }
    if (const auto loaded = co_await read_summary(); !loaded) {
        // What is known remains; the next turn meets the same error and reports it.
        context_.log.debug("cannot read the mirror's summary: " + loaded.error().text(),
                           {{"library", context_.library.name}, {"resource", name()}});
    }
    context_.owner.pass_ended();
    board_.changed();
}

void DetailWorker::measure(std::uint64_t answered, bool saturated)
{
    if (!saturated) {
        busy_since_.reset();
        answered_since_ = 0;
        return;
    }
    if (!busy_since_) {
        busy_since_ = context_.clock.boot_now();
        answered_since_ = 0;
        return;
    }
    answered_since_ += answered;
}

std::optional<double> DetailWorker::measured_per_minute() const
{
    const auto time = busy_since_ ? context_.clock.boot_now() - *busy_since_ : Duration(0);
    if (time < min_measured) {
        return std::nullopt;
    }
    return static_cast<double>(answered_since_) / std::chrono::duration<double, std::ratio<60>>(time).count();
}

bool DetailWorker::keeps_up() const
{
    const auto measured = measured_per_minute();
    return !measured || *measured >= plan_.needed_per_minute(report_.facts.rows);
}

// What a person should know while the queue works.
std::string DetailWorker::notice() const
{
    const auto& facts = report_.facts;
    if (!keeps_up()) {
        return fmt::format("needs {:.1f} requests a minute to fetch every item within {}, and gets {:.1f}: set a "
                           "longer refresh_within, or make other passes less frequent",
                           plan_.needed_per_minute(facts.rows), describe_duration(resource_.detail->refresh_within),
                           *measured_per_minute());
    }
    if (facts.behind == 0) {
        return "";
    }
    return fmt::format("{} item{} postponed after a failure and requested again later; {}", facts.behind,
                       facts.behind == 1 ? "" : "s", facts.fault);
}

}  // namespace shelfd::sync
