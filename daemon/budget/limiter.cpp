#include "budget/limiter.hpp"

#include <algorithm>
#include <tuple>

namespace shelfd::budget {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t max_reserved = 10;

bool is_bulk(Purpose purpose)
{
    return purpose == Purpose::full || purpose == Purpose::detail || purpose == Purpose::rolling;
}

}  // namespace

// One waiting request. It remembers that it was woken, so that no wake-up is lost between the check and the wait.
struct Limiter::Waiter {
    Waiter(Limiter& owner, Purpose why, Flow* flow)
        : limiter(owner), purpose(why), turn(owner.turn_for(flow)), number(owner.arrived_++),
          flow_wait(flow != nullptr ? flow->wait_ : nullptr)
    {
        limiter.line_.insert(this);
    }
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;
    ~Waiter()
    {
        if (is_shown && --flow_wait->requests == 0) {
            flow_wait->ended += std::max(limiter.clock_.now() - flow_wait->since, Duration(0));
        }
        limiter.line_.erase(this);
        limiter.wake_next();
    }

    bool is_first() const { return *limiter.line_.begin() == this; }

    // The limit, not a slot of `in_flight`, is what it waits for.
    void show_wait()
    {
        if (flow_wait == nullptr || is_shown) {
            return;
        }
        is_shown = true;
        if (flow_wait->requests++ == 0) {
            flow_wait->since = limiter.clock_.now();
        }
        flow_wait->purpose = purpose;
    }

    void wake()
    {
        woken = true;
        signal.notify_all();
    }

    // Returns when it is woken, or at `at`.
    asio::awaitable<void> wait(std::optional<BootTime> at)
    {
        while (!woken && (!at || limiter.clock_.boot_now() < *at)) {
            if (at) {
                co_await limiter.clock_.wait_until(*at, signal);
            } else {
                co_await signal.wait();
            }
        }
    }

    Limiter& limiter;
    Purpose purpose;
    std::uint64_t turn;
    std::uint64_t number;
    std::shared_ptr<FlowWait> flow_wait;  // nullptr for a single request
    bool is_shown = false;                // counted in it
    bool woken = false;
    AsyncEvent signal;
};

bool Limiter::ByTurn::operator()(const Waiter* a, const Waiter* b) const
{
    return std::tie(a->purpose, a->turn, a->number) < std::tie(b->purpose, b->turn, b->number);
}

Result<std::unique_ptr<Limiter>> Limiter::open(LimiterOptions options, Clock& clock, const std::string& boot_id)
{
    const auto slots = options.per_minute.value_or(0);
    SHELFD_TRY_ASSIGN(log, RequestLog::open(options.log_path, boot_id, clock.boot_now(), slots));
    return std::unique_ptr<Limiter>(new Limiter(std::move(options), clock, std::move(log)));
}

Limiter::Limiter(LimiterOptions options, Clock& clock, RequestLog log)
    : options_(std::move(options)), clock_(clock), log_(std::move(log))
{
    const auto now = clock_.boot_now();
    paused_until_ = std::min(log_.pause(), now + max_pause);
    if (const auto known = log_.limit(); known.most > 0) {
        went_well_ = known.most;
        went_well_until_ = std::min(known.until, now + lesson_counts_for);
    }
    if (log_.past() == RequestLog::Past::unknown) {
        assume_busy_past();
    }
}

Limiter::~Limiter() = default;

// It is unknown what was sent in the last minute: all of the limit except the reserve counts as used.
void Limiter::assume_busy_past()
{
    const auto now = clock_.boot_now();
    bulk_not_before_ = now + window;
    log_.expire(now - window);
    for (auto used = log_.used(); options_.per_minute && used + reserve(now) < *options_.per_minute; ++used) {
        log_.end(log_.begin(), now);
    }
}

// In each turn every waiting flow gets one request. A new flow joins the turn that is being served.
std::uint64_t Limiter::turn_for(Flow* flow)
{
    if (flow == nullptr) {
        return turn_;
    }
    const auto turn = std::max(turn_, flow->next_turn_);
    flow->next_turn_ = turn + 1;
    return turn;
}

asio::awaitable<Permit> Limiter::acquire(Purpose purpose, Flow* flow)
{
    Waiter waiter(*this, purpose, flow);
    for (;;) {
        // Read the clock once: a request that expires between two readings would be missed by both checks.
        const auto now = clock_.boot_now();
        log_.expire(now - window);
        // Only the first in line may begin.
        if (waiter.is_first() && may_begin(purpose, now)) {
            turn_ = std::max(turn_, waiter.turn);
            co_return take();
        }
        if (is_spent(purpose, now)) {
            waiter.show_wait();
        }
        waiter.woken = false;
        co_await waiter.wait(waiter.is_first() ? next_change(now) : std::nullopt);
    }
}

Permit Limiter::take()
{
    const auto used = log_.used();
    const auto ended = static_cast<std::uint32_t>(log_.ended().size());
    ++in_flight_;
    ++requests_;
    if (!options_.per_minute) {
        return Permit(*this, Permit::Kind::uncounted, 0, requests_, used, ended);
    }
    return Permit(*this, Permit::Kind::counted, log_.begin(), requests_, used, ended);
}

void Limiter::end(const Permit& permit, bool sent)
{
    --in_flight_;
    answered_at_ = sent ? std::optional(clock_.boot_now()) : answered_at_;
    if (permit.kind_ == Permit::Kind::counted) {
        if (sent) {
            log_.end(permit.slot_, clock_.boot_now());
        } else {
            log_.forget(permit.slot_);
        }
    }
    wake_next();
}

void Limiter::wake_next()
{
    if (!line_.empty()) {
        (*line_.begin())->wake();
    }
}

bool Limiter::may_begin(Purpose purpose, BootTime now) const
{
    return in_flight_ < slots_for(purpose, now) && !is_spent(purpose, now);
}

bool Limiter::is_spent(Purpose purpose, BootTime now) const
{
    if (now < paused_until_) {
        return true;
    }
    if (!options_.per_minute) {
        return false;
    }
    if (is_bulk(purpose) && (now < bulk_not_before_ || is_bulk_held_back(now))) {
        return true;
    }
    return log_.used() + (is_bulk(purpose) ? room_for_others(now) : 0) >= allowed(now);
}

bool Limiter::has_room(Purpose purpose, std::uint64_t requests) const
{
    const auto now = clock_.boot_now();
    if (!options_.per_minute || requests == 0) {
        return true;
    }
    if (is_spent(purpose, now)) {
        return false;
    }
    const auto most = allowed(now);
    const auto wanted = std::min<std::uint64_t>(requests, std::max<std::uint32_t>(most / 2, 1));
    return used_at(now) + (is_bulk(purpose) ? room_for_others(now) : 0) + wanted <= most;
}

// Leaves room for another program at the same limit: its demand is known only by what it uses.
std::uint32_t Limiter::room_for_others(BootTime now) const
{
    return now < foreign_until_ && foreign_ > 0 ? std::min(max_reserved, limit(now) / 10) : 0;
}

// Requests that hang must not block others: bulk requests leave a slot to polls and people, details one more to full
// passes. A full pass takes its last one while answers arrive and no poll is announced. A token set waits for none.
std::uint32_t Limiter::slots_for(Purpose purpose, BootTime now) const
{
    const bool answers = answered_at_ && now < *answered_at_ + answers_arrive;
    const bool is_alone = answers && (due_.empty() || due_.begin()->first > now + window);
    const std::uint32_t left = purpose == Purpose::full ? (is_alone ? 0 : 1) : is_bulk(purpose) ? 2 : 0;
    const std::uint32_t more = purpose == Purpose::token ? 1 : 0;
    return options_.in_flight + more - std::min(left, options_.in_flight - 1);
}

// Waiting requests of a higher class come before bulk requests anyway; the reserve is for requests that are due soon.
// It is as large as what is announced, and slots that become free before then count as free: keeping ten slots free for
// a whole minute would waste them (measured after outages: mostly 93 to 97 % of the limit used, with twenty lists
// polled each hour).
bool Limiter::is_bulk_held_back(BootTime now) const
{
    const auto most = reserve(now);
    std::uint32_t wanted = 0;
    for (auto due = due_.begin(); due != due_.end() && due->first <= now + window && wanted < most; ++due) {
        wanted = std::min(wanted + due->second, most);
        if (used_at(std::max(now, due->first)) + wanted >= allowed(now)) {
            return true;
        }
    }
    return false;
}

// Requests that count at `at` if none begins until then and none in flight ends.
std::uint32_t Limiter::used_at(BootTime at) const
{
    const auto& ended = log_.ended();
    const auto is_over = [at](const auto& entry) { return entry.first <= at - window; };
    const auto over = std::partition_point(ended.begin(), ended.end(), is_over) - ended.begin();
    return log_.used() - static_cast<std::uint32_t>(over);
}

std::uint32_t Limiter::reserve(BootTime now) const
{
    return std::min(max_reserved, limit(now) / 5);
}

// Per minute; 0 if there is no limit.
std::uint32_t Limiter::limit(BootTime now) const
{
    const auto told = std::min(options_.per_minute.value_or(0), service_limit_.value_or(UINT32_MAX));
    const auto ours = told - left_to_others(told);
    return now < went_well_until_ ? std::min(ours, went_well_) : ours;
}

// What the configuration leaves them of a limit; at least one request a minute is ours.
std::uint32_t Limiter::left_to_others(std::uint32_t told) const
{
    return told > 0 ? std::min(options_.leave, told - 1) : 0;
}

// Others who use no more than what is left to them take nothing from us.
std::uint32_t Limiter::allowed(BootTime now) const
{
    const auto most = limit(now);
    const auto taken = foreign_ - std::min(foreign_, options_.leave);
    return now < foreign_until_ ? most - std::min(taken, most) : most;
}

// The next time at which may_begin() can change without any event.
std::optional<BootTime> Limiter::next_change(BootTime now) const
{
    std::optional<BootTime> next;
    const auto consider = [&next, now](BootTime at) {
        if (at > now && (!next || at < *next)) {
            next = at;
        }
    };
    if (now < paused_until_) {
        return paused_until_;
    }
    consider(bulk_not_before_);
    consider(foreign_until_);
    consider(went_well_until_);
    if (!log_.ended().empty()) {
        consider(log_.ended().front().first + window);
    }
    return next;
}

Announcement Limiter::announce_due(BootTime at, std::uint64_t requests)
{
    return {*this, due_.emplace(at, static_cast<std::uint32_t>(std::min<std::uint64_t>(requests, max_reserved)))};
}

void Limiter::reconfigure(const LimiterOptions& options)
{
    const bool was_unlimited = !options_.per_minute;
    options_.per_minute = options.per_minute;
    options_.leave = options.leave;
    options_.in_flight = options.in_flight;
    log_.set_counting(options_.per_minute.has_value());
    if (was_unlimited && options_.per_minute) {
        assume_busy_past();
    }
    wake_next();
}

void Limiter::take_over(const Limiter& before)
{
    pause_until(before.paused_until_);
    if (!before.options_.per_minute) {
        assume_busy_past();  // without a limit nothing was counted
        return;
    }
    const auto now = clock_.boot_now();
    log_.expire(now - window);
    for (auto left = before.status().used; left > 0 && log_.used() < options_.per_minute.value_or(0); --left) {
        log_.end(log_.begin(), now);
    }
}

void Limiter::tidy()
{
    log_.expire(clock_.boot_now() - window);
}

}  // namespace shelfd::budget
