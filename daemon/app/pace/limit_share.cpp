#include "app/pace/limit_share.hpp"

#include <algorithm>

namespace shelfd::app {
namespace {

constexpr Duration minute = std::chrono::minutes(1);
// Changes of who sends; after them, as if no other walk began.
constexpr int max_steps = 500;

// Walks over whole lists of one library; further ones wait for a turn.
constexpr int most_at_once = 3;

// When how many requests can have begun.
class Supply {
public:
    Supply(const budget::LimiterStatus& limiter, Instant now) : in_flight_(limiter.in_flight)
    {
        const auto limit = *limiter.limit;
        const auto most = limit - std::min(limiter.foreign, limit - std::min(1U, limit));
        at_once_ = most - std::min(limiter.used, most);
        pause_ = limiter.paused_until ? std::max(*limiter.paused_until - now, Duration(0)) : Duration(0);
        apart_ = most == 0 ? Duration(0) : minute / most;
        // Counts down while nothing is sent. A slot that becomes free takes a request with it, so the sum never grows.
        if (at_once_ < 1 && limiter.next_slot) {
            first_ = std::max(*limiter.next_slot - now, pause_);
        }
    }

    bool is_unlimited() const { return apart_ == Duration(0); }

    Duration time_of(double requests) const
    {
        // What is in flight has its slot.
        const auto left = std::max(requests - in_flight_, 0.0);
        const auto at_rate = pause_ + times(std::max(left - at_once_, 0.0));
        if (!first_ || left <= 0) {
            return at_rate;
        }
        // A minute's requests may all have been sent at its begin: then none follows before its end.
        return std::max(*first_, std::min(at_rate, *first_ + times(std::max(left - 1, 0.0))));
    }

    double requests_within(Duration time) const
    {
        if (first_ && time < *first_) {
            return in_flight_;
        }
        const auto at_rate = time < pause_ ? 0 : at_once_ + within(time - pause_);
        const auto by_slots = first_ ? 1 + within(time - *first_) : 0;
        return in_flight_ + std::max(at_rate, by_slots);
    }

private:
    Duration times(double requests) const
    {
        return Duration(static_cast<std::int64_t>(static_cast<double>(apart_.count()) * requests));
    }
    double within(Duration time) const
    {
        return static_cast<double>(time.count()) / static_cast<double>(apart_.count());
    }

    double in_flight_;
    double at_once_ = 0;
    Duration pause_{0};
    Duration apart_{0};
    std::optional<Duration> first_;
};

class Race {
public:
    Race(const MeasuredWalk& own, const std::vector<SharingWalk>& others, const Supply& supply, Instant now)
        : own_(own), left_(static_cast<double>(own.requests)), supply_(supply), now_(now)
    {
        const auto takes_slots = [&own](const SharingWalk& one) {
            return own.is_one_by_one && one.purpose > own.purpose && one.purpose == budget::Purpose::detail &&
                   one.stage == SharingWalk::Stage::running;
        };
        const auto takers = static_cast<std::uint32_t>(std::count_if(others.begin(), others.end(), takes_slots));
        for (const auto& one : others) {
            if (one.purpose <= own.purpose) {
                enter(one);
            } else if (takes_slots(one)) {
                take_turns(one, std::max(one.at_once / takers, 1U));
            }  // other requests that are less urgent wait
        }
    }

    Duration run()
    {
        for (int step = 0; step < max_steps && left_ > 0; ++step) {
            advance();
        }
        return supply_.time_of(served_ + std::max(left_, 0.0));
    }

private:
    struct Sender {
        SharingWalk walk;
        double left;
    };

    double size_of(const SharingWalk& walk) const
    {
        return walk.requests ? static_cast<double>(*walk.requests) : left_;
    }

    // With so many requests at the same time, all of which take turns with the walk in question.
    void take_turns(const SharingWalk& walk, std::uint32_t requests)
    {
        for (std::uint32_t i = 0; i < requests; ++i) {
            senders_.push_back({walk, size_of(walk) / requests});
        }
    }

    void enter(const SharingWalk& walk)
    {
        switch (walk.stage) {
        case SharingWalk::Stage::running: senders_.push_back({walk, size_of(walk)}); break;
        case SharingWalk::Stage::queued: queued_.push_back(walk); break;
        case SharingWalk::Stage::due: due_.push_back(walk); break;
        }
    }

    // Until one of those who send has ended, or another one begins.
    void advance()
    {
        const bool any_urgent = std::any_of(senders_.begin(), senders_.end(),
                                            [this](const Sender& one) { return one.walk.purpose < own_.purpose; });
        const auto sends = [&](const Sender& one) { return !any_urgent || one.walk.purpose < own_.purpose; };
        double shortest = any_urgent ? -1 : left_;
        double count = any_urgent ? 0 : 1;
        for (const auto& one : senders_) {
            if (sends(one)) {
                ++count;
                shortest = shortest < 0 ? one.left : std::min(shortest, one.left);
            }
        }
        auto each = shortest;
        std::optional<SharingWalk> beginning;
        const auto next = std::min_element(due_.begin(), due_.end(),
                                           [](const auto& a, const auto& b) { return a.begins < b.begins; });
        if (next != due_.end()) {
            const auto until = std::max(supply_.requests_within(next->begins - now_) - served_, 0.0) / count;
            if (until < shortest) {
                each = until;
                beginning = *next;
                due_.erase(next);
            }
        }
        served_ += each * count;
        left_ -= any_urgent ? 0 : each;
        for (auto& one : senders_) {
            one.left -= sends(one) ? each : 0;
        }
        end_those_done();
        if (beginning && has_turn(*beginning)) {
            senders_.push_back({*beginning, size_of(*beginning)});
        } else if (beginning) {
            queued_.push_back(*beginning);
        }
    }

    bool has_turn(const SharingWalk& walk) const
    {
        const auto counts = [&walk](const void* library, budget::Purpose purpose) {
            return library == walk.library && purpose >= budget::Purpose::full;
        };
        const auto under_way = std::count_if(senders_.begin(), senders_.end(), [&counts](const Sender& one) {
            return counts(one.walk.library, one.walk.purpose);
        });
        return walk.purpose < budget::Purpose::full ||
               under_way + (counts(own_.library, own_.purpose) ? 1 : 0) < most_at_once;
    }

    void end_those_done()
    {
        std::vector<SharingWalk> ended;
        std::erase_if(senders_, [&ended](const Sender& one) {
            const bool is_done = one.left <= 1e-9;
            if (is_done) {
                ended.push_back(one.walk);
            }
            return is_done;
        });
        for (auto& walk : ended) {
            const auto next = std::find_if(queued_.begin(), queued_.end(),
                                           [&walk](const auto& one) { return one.library == walk.library; });
            if (next != queued_.end()) {
                senders_.push_back({*next, size_of(*next)});
                queued_.erase(next);
            }
            if (walk.every > Duration(0)) {
                walk.stage = SharingWalk::Stage::due;
                walk.begins = std::max(walk.begins + walk.every, now_ + supply_.time_of(served_));
                due_.push_back(walk);
            }
        }
    }

    const MeasuredWalk& own_;
    double left_;
    double served_ = 0;
    const Supply& supply_;
    Instant now_;
    std::vector<Sender> senders_;
    std::vector<SharingWalk> queued_;
    std::vector<SharingWalk> due_;
};

}  // namespace

Duration time_at_limit(const MeasuredWalk& own, const std::vector<SharingWalk>& others,
                       const budget::LimiterStatus& limiter, Instant now)
{
    if (!limiter.limit || own.requests == 0) {
        return Duration(0);
    }
    const Supply supply(limiter, now);
    return supply.is_unlimited() ? Duration(0) : Race(own, others, supply, now).run();
}

}  // namespace shelfd::app
