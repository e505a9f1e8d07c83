// What the service's answers say about its limit and about other users of it.
#include "budget/limiter.hpp"

#include "budget/limit_policies.hpp"

#include <algorithm>
#include <utility>

namespace shelfd::budget {
namespace {

using namespace std::chrono_literals;

constexpr Duration min_pause = 1s;  // "Retry-After: 0" must not become a storm
// A shorter pause after few requests may be about the last second instead of the minute.
constexpr Duration min_of_minute = 10s;
constexpr std::uint32_t more_than_a_burst = 30;
// If the whole service is closed, each path still gets one request and learns it by itself.
constexpr Duration max_for_a_path = 5s;

}  // namespace

void Limiter::pause_for(Duration wait)
{
    pause_until(clock_.boot_now() + std::clamp(wait, min_pause, max_pause));
}

void Limiter::pause_until(BootTime until)
{
    paused_until_ = std::max(paused_until_, until);
    log_.record_pause(paused_until_);
}

void Limiter::observe(const Permit& permit, const AnswerFacts& facts)
{
    if (permit.limiter_ == nullptr) {
        return;
    }
    requests_ += std::max(facts.requests_sent, 1u) - 1;
    for (std::uint32_t extra = 1; permit.kind_ == Permit::Kind::counted && extra < facts.requests_sent; ++extra) {
        log_.end(log_.begin(), clock_.boot_now());
    }
    if (facts.limit) {
        service_limit_ = std::max(*facts.limit, 1u);
        went_well_until_ = BootTime();
        record_limit(*service_limit_);
    }
    if (facts.remaining && options_.per_minute && permit.kind_ == Permit::Kind::counted) {
        record_remaining(permit, facts);
    }
    if (tells_limit(facts) && !status_concerns_one_path(facts.status)) {
        learn_from_refusal(permit, facts);
        pause_for(limit_wait(facts).value_or(window));
    } else if (facts.retry_after && (facts.status == 503 || tells_limit(facts))) {
        // Perhaps only this path is closed: who asked waits as long as told, and the others if none was answered.
        if (!std::exchange(others_are_open_, false)) {
            pause_for(std::min(*facts.retry_after, max_for_a_path));
        }
    } else if (facts.status >= 200 && facts.status < 500 && !tells_limit(facts)) {
        others_are_open_ = true;
    }
    wake_next();
}

// Learns a limit that the service never names: so many requests succeeded within the last minute, and one more did not.
// A refusal after few requests, or for a second, or for a day, is not about the minute.
void Limiter::learn_from_refusal(const Permit& permit, const AnswerFacts& facts)
{
    const auto now = clock_.boot_now();
    // Requests in flight at the time may have been refused as well.
    const auto went_well = permit.ended_before_;
    const auto pause = facts.retry_after.value_or(window);
    const bool is_told = service_limit_ || facts.remaining || permit.kind_ != Permit::Kind::counted;
    const bool is_burst = pause < min_of_minute && went_well < more_than_a_burst;
    if (is_told || is_burst || pause > window || went_well < limit(now) / 4) {
        return;
    }
    // At least 1: with a limit of 0 (a quarter of three) nothing would ever be sent.
    const auto lesson = std::max(went_well, 1u);
    went_well_ = now < went_well_until_ ? std::min(went_well_, lesson) : lesson;
    went_well_until_ = now + lesson_counts_for;
    record_limit(went_well_);
}

// Recorded so that a restart need not exceed a narrow limit to learn it again. Written on a change and about each
// minute.
void Limiter::record_limit(std::uint32_t most)
{
    const auto now = clock_.boot_now();
    const auto known = log_.limit();
    const bool is_narrow = most < options_.per_minute.value_or(0);
    const auto wanted = is_narrow ? most : 0;
    if (wanted != known.most || (is_narrow && known.until < now + lesson_counts_for - window)) {
        log_.record_limit({wanted, now + lesson_counts_for});
    }
}

// Requests that the service counted and we cannot have sent were sent by somebody else. We can have sent at most those
// that counted when this request began, itself, and all begun since; so foreign use is never overestimated.
void Limiter::record_remaining(const Permit& permit, const AnswerFacts& facts)
{
    const auto now = clock_.boot_now();
    const auto ours = permit.used_before_ + 1 + (requests_ - permit.sent_before_);
    const auto told = std::min(*options_.per_minute, service_limit_.value_or(UINT32_MAX));
    const auto explained = ours + *facts.remaining;
    foreign_ = explained >= told ? 0 : static_cast<std::uint32_t>(told - explained);
    // A sliding window gives back one request at its reset, not all: foreign use counts for a minute, or until the next
    // answer. If it leaves us nothing, there would be no next answer, so it counts until the reset.
    const bool leaves_none = foreign_ >= told && facts.reset;
    foreign_until_ = now + (leaves_none ? std::min(*facts.reset, window) : window);
    // A window longer than a minute does not free slots the way our minute does: wait for its reset.
    if (foreign_ > 0 && *facts.remaining == 0 && facts.reset.value_or(Duration(0)) > window) {
        pause_for(*facts.reset);
    }
}

}  // namespace shelfd::budget
