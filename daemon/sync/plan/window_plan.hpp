// Which windows of a ledger are walked next: by what is proven of them, what the configuration wants, and the time.
#pragma once

#include "base/instant.hpp"
#include "mirror/records/slices.hpp"
#include "schedule/planned_times.hpp"
#include "schedule/windows.hpp"
#include "sync/plan/window_standings.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace shelfd::sync {

// When something that was proven at one time wants to be proven again: after an interval, or at the next planned time.
class Repetition {
public:
    explicit Repetition(Duration interval) : rhythm_(interval) {}
    explicit Repetition(schedule::PlannedTimes times) : rhythm_(std::move(times)) {}

    Instant after(Instant proven) const;

private:
    std::variant<Duration, schedule::PlannedTimes> rhythm_;
};

enum class WindowReason {
    recent,  // its rows may still come
    again,   // it ended a while ago, and rows may have changed or gone since; or some wait for a second witness
    load,    // it was never proven
    settle,  // its proof is old
    seek,    // rows left other windows since it was proven, and may be in this one; it may be all that comes
    asked,   // somebody wants it
};

struct WindowChoice {
    schedule::Window window;
    WindowReason reason = WindowReason::recent;
    std::string key_set;    // of the last walk, as PageFacts::key_set; "" = there was none
    bool is_plain = false;  // without the order that the daemon chose: it was refused with that and without it

    friend bool operator==(const WindowChoice&, const WindowChoice&) = default;
};

// No I/O, no clock, no log: a pure value. A window is *settled* once it was proven after its end and some time more,
// in which tills and queues deliver what is late; before that every ordinary round walks it. `known` is what the
// mirror says, in the order of places; a walk of other bounds counts for a window as far as it covers it, so that
// another step needs no new load.
class WindowPlan {
public:
    struct Settings {
        schedule::Windows windows;
        Duration back{};   // windows that ended longer ago are none of `again`
        Repetition again;  // those within `back`
        std::optional<Repetition> settle = {};
        std::optional<Duration> settle_back = {};  // windows that ended longer ago are none of `settle`
        Duration pause{};                          // between two walks of a window that proved nothing
    };
    using Known = std::vector<mirror::SliceFacts>;

    explicit WindowPlan(Settings settings) : settings_(std::move(settings)) {}

    // What an ordinary round walks: the current window and those before it that are not settled, newest first;
    // behind them those whose last walk failed, in the order of these failures.
    std::vector<WindowChoice> recent(Instant now, const Known& known) const;
    // Whether rows left their windows: then all that comes behind the current one is asked for as well, in one walk,
    // since they may be dated to a day to come.
    void rows_left(bool any) { rows_left_ = any; }
    // Up to `most` windows that are worth a walk while no round is due, all for the same reason: within `back` and due
    // again, newest first; else never proven, newest first; else those in which rows are sought that left another one,
    // newest first; else due to settle, oldest proof first.
    std::vector<WindowChoice> next(Instant now, const Known& known, std::size_t most) const;
    // When `next` has some: now or later. nothing: only time itself brings more.
    std::optional<Instant> next_at(Instant now, const Known& known) const;
    // All that have a moment in common with [from, to), up to now, newest first.
    std::vector<WindowChoice> between(Instant from, Instant to, Instant now, const Known& known) const;

    // Of these `choices`, in their order, the first so many walk all that `recent` would; 0: they do not.
    std::size_t keep_fresh(const std::vector<WindowChoice>& choices, Instant now, const Known& known) const;

    // Whether a settled window within `back` missed three of its turns. Then the windows of the rounds alone say
    // nothing of the table as a whole.
    bool is_behind(Instant now, const Known& known) const;

    // The walk of the window that begins at `from` met trouble: others go before it until a while has passed, which
    // grows with each time that pages of it had arrived. Without any, the service itself may have been away.
    void failed(Instant from, bool had_pages, Instant now);

    const schedule::Windows& windows() const { return settings_.windows; }

private:
    struct Due {
        WindowChoice choice;
        Instant at;
        std::optional<Instant> proven;
    };
    struct Failure {
        Instant at;
        std::uint32_t count = 0;  // with pages
    };
    Instant not_before(const Failure& failure) const;
    // When its last walk met trouble; nothing when that one was published.
    std::optional<Instant> failed_at(const schedule::Window& window, const WindowStanding& standing, Instant now) const;
    schedule::Window window(std::int64_t number) const;
    static Instant proven_by_our_clock(const WindowStanding& standing, Instant now);
    bool is_settled(const schedule::Window& window, const WindowStanding& standing) const;
    Duration between_seeks(Instant now) const;
    std::optional<Due> due(const schedule::Window& window, const WindowStanding& standing, Instant now) const;
    void put_off(Due& due, const WindowStanding& standing, Instant now) const;
    std::optional<Due> due_ahead(const Known& known, const WindowStandings& ledger, Instant now) const;

    Settings settings_;
    bool rows_left_ = false;
    std::map<std::int64_t, Failure> failures_;   // by the number of the window, since this process began
    mutable std::vector<schedule::Window> cut_;  // by their numbers, as far as they were asked for: zones are slow
};

}  // namespace shelfd::sync
