// When the next pass of a table is due: by its schedule, by the trouble it met, by a clock that somebody sets; and what
// it leaves of the limit to the one that follows.
#include "sync/worker/resource_worker.hpp"

#include <algorithm>
#include <utility>

namespace shelfd::sync {
namespace {

// Walks that follow at once where one proved nothing because the list moved; after them the schedule goes on.
constexpr std::uint32_t max_walks_again = 2;
// Slower than this per wait a clock is corrected, not set.
constexpr auto min_step = std::chrono::seconds(1);
// A poll is a page and the canary, or two pages.
constexpr std::uint64_t max_of_a_poll = 2;

}  // namespace

// By the schedule, or earlier where there is something to do meanwhile.
Instant ResourceWorker::next_turn() const
{
    return std::min(rhythm_.due(), chooser_.backfill_at().value_or(rhythm_.due()));
}

void ResourceWorker::plan_at(Instant due)
{
    due_ = due;
    due_boot_ = context_.clock.boot_now() + (due - context_.clock.now());
    report_.next_due = due;
}

// Set forward, it makes things due by itself.
void ResourceWorker::notice_clock_set_back()
{
    const auto now = context_.clock.now();
    const auto left = due_boot_ - context_.clock.boot_now();
    const auto step = (due_ - now) - left;
    if (step < min_step) {
        return;
    }
    // What waits may be something else than what the schedule wants: older windows, or the next try after trouble.
    rhythm_.clock_set_back(now, rhythm_.due() - (now + step), context_.random());
    plan_at(report_.trouble == Trouble::none ? next_turn() : now + left);
    changed_();
}

// While `wall` and `boot`, which were the same moment, went on: by how much less the wall clock did.
Duration ResourceWorker::set_back_since(Instant wall, BootTime boot) const
{
    return (wall - context_.clock.now()) + (context_.clock.boot_now() - boot);
}

void ResourceWorker::plan_next(const PassReport& pass, bool ordinary, bool walks_newest, Duration set_back)
{
    if (pass.trouble != report_.trouble) {
        // What a restart interrupted began before it.
        const bool went_on = !report_.last_pass && report_.summary.since &&
                             to_string(report_.summary.state) == std::string_view(to_string(pass.trouble));
        report_.trouble_since = pass.trouble == Trouble::none ? std::nullopt
                                : went_on                     ? report_.summary.since
                                                              : pass.started;
    }
    report_.trouble = pass.trouble;
    report_.cause = pass.cause;
    report_.why = pass.why;
    if (rhythm_.windows() != nullptr) {
        keep_trouble_of_newest(pass, ordinary || (walks_newest && pass.trouble == Trouble::none));
    }
    if (pass.trouble == Trouble::none && ordinary) {
        rhythm_.passed(pass.kind, pass.started, context_.random());
    }
    if (set_back >= min_step) {
        // Somebody set it while the pass went on: what is planned is by the clock as it was.
        const auto now = context_.clock.now();
        rhythm_.clock_set_back(now, rhythm_.due() - (now + set_back), context_.random());
    }
    if (pass.trouble == Trouble::none) {
        backoff_.reset();
        if (ordinary) {
            // One that began long after the list moved may prove what this one could not.
            // Windows were, within their round.
            const bool proves = pass.kind != PassKind::incremental && !chooser_.is_sliced();
            walk_again_ = proves && !pass.proof.complete() && !pass.is_unvouched && is_worth_repeating(pass);
            walks_again_ = walk_again_ ? walks_again_ + 1 : 0;
        }
        plan_at(walk_again_ ? context_.clock.now() : next_turn());
    } else {
        ++report_.passes_failed;
        record_failure(pass);
        // One window that nobody can read, today's say, is no reason to leave the older ones as they are.
        const bool was_asked = pass.trouble == Trouble::passing || pass.spent.of(budget::Reason::page) > 0;
        if (rhythm_.windows() != nullptr && ordinary && was_asked) {
            rhythm_.round_failed(pass.pages > 0, context_.clock.now());
        }
        walk_again_ = false;
        plan_at(next_try(pass));
    }
}

// Where nothing was sent it is no matter of this list: the token set or the library is in doubt.
void ResourceWorker::record_failure(const PassReport& pass)
{
    if (pass.spent.of(budget::Reason::page) == 0) {
        return;
    }
    if (pass.recalled == 0 || pass.kind == PassKind::incremental) {
        rhythm_.failed(pass.kind, pass.pages > 0, context_.clock.now());
    } else if (pass.pages <= pass.recalled) {
        rhythm_.stuck(context_.clock.now());
    }
}

// Where a walk met all that the one before it did, and proved nothing either, a third would not: the service counts
// rows that it does not show, say. Nor do later ones, until something else is met.
bool ResourceWorker::is_worth_repeating(const PassReport& pass)
{
    const auto before = std::exchange(met_before_, pass.learned.met);
    if (walks_again_ > 0 && before == pass.learned.met) {
        met_in_vain_ = before;
    }
    return walks_again_ < max_walks_again && pass.learned.met != met_in_vain_;
}

// Older windows that go well say nothing of it; of the token set and of the disk they do.
void ResourceWorker::keep_trouble_of_newest(const PassReport& pass, bool walks_newest)
{
    if (walks_newest) {
        const bool is_its_own = pass.spent.of(budget::Reason::page) > 0 && pass.trouble != Trouble::wrong_library &&
                                pass.trouble != Trouble::storage;
        of_newest_ = {};
        if (is_its_own) {
            of_newest_ = {report_.trouble, report_.cause, report_.why, report_.trouble_since};
        }
    } else if (report_.trouble == Trouble::none && of_newest_.trouble != Trouble::none) {
        report_.trouble = of_newest_.trouble;
        report_.cause = of_newest_.cause;
        report_.why = of_newest_.why;
        report_.trouble_since = of_newest_.since;
    }
}

// What each pass asks for is soon there: what changed, or all of a list of a page or two.
bool ResourceWorker::is_polled() const
{
    const auto& summary = report_.summary;
    const bool is_short = summary.as_of && summary.rows <= max_of_a_poll * context_.library.service.page_size;
    return resource_.incremental || resource_.window || (is_short && !chooser_.has_parent());
}

bool ResourceWorker::is_poll(const Round& round) const
{
    const bool is_bulk = round.line.purpose != budget::Purpose::incremental;
    return is_polled() && round.ordinary && !round.by_parent && !round.is_sliced() &&
           (!is_bulk || expected_requests(round) <= max_of_a_poll);
}

// As many as the last one took; the canary and a page where that was another kind of pass.
std::uint64_t ResourceWorker::requests_of_a_poll() const
{
    const auto& last = report_.last_pass;
    const bool was_poll = last && (last->kind != PassKind::full || last->pages <= max_of_a_poll);
    return std::max<std::uint64_t>(was_poll ? last->spent.total() : 0, max_of_a_poll);
}

std::uint64_t ResourceWorker::polls_a_minute() const
{
    return std::max<std::uint64_t>(
        1, static_cast<std::uint64_t>(std::chrono::minutes(1) /
                                      std::max<Duration>(rhythm_.pace(), std::chrono::seconds(1))));
}

// What comes after it within a minute wants its slots, too.
void ResourceWorker::announce_poll(BootTime at)
{
    announced_.reset();
    if (is_polled()) {
        announced_.emplace(context_.limiter.announce_due(at, requests_of_a_poll() * polls_a_minute()));
    }
}

}  // namespace shelfd::sync
