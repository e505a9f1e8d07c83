// Decides which windows of a ledger are walked next, by what is proven of them, the configuration and the time.
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

// When something proven is to be proven again: after an interval, or at the next planned time.
class Repetition {
public:
    explicit Repetition(Duration interval) : rhythm_(interval) {}
    explicit Repetition(schedule::PlannedTimes times) : rhythm_(std::move(times)) {}

    Instant after(Instant proven) const;

private:
    std::variant<Duration, schedule::PlannedTimes> rhythm_;
};

enum class WindowReason {
    recent,  // new rows may still arrive
    again,   // it ended recently, and rows may have changed or gone since; or missing rows wait for second evidence
    load,    // it was never proven
    settle,  // its proof is old
    seek,    // rows left other windows since it was proven, and may be in this one; also all windows to come
    asked,   // a person requested it
};

struct WindowChoice {
    schedule::Window window;
    WindowReason reason = WindowReason::recent;
    std::string key_set;    // of the last walk, as PageFacts::key_set; "" = there was none
    bool is_plain = false;  // without the order that the daemon chose: the window was refused with and without it

    friend bool operator==(const WindowChoice&, const WindowChoice&) = default;
};

// No I/O, clock or log. A window is *settled* if it was proven more than schedule::lateness after its end, when late
// rows have arrived; until then every ordinary round walks it. `known` is what the mirror knows, in the order of
// places. A walk with other bounds counts for the part of a window that it covers; so a changed step needs no new load.
class WindowPlan {
public:
    struct Settings {
        schedule::Windows windows;
        Duration back{};   // windows that ended longer ago are not walked for `again`
        Repetition again;  // for windows within `back`
        std::optional<Repetition> settle = {};
        std::optional<Duration> settle_back = {};  // windows that ended longer ago are not walked for `settle`
        Duration pause{};                          // between two walks of a window that proved nothing
    };
    using Known = std::vector<mirror::SliceFacts>;

    explicit WindowPlan(Settings settings) : settings_(std::move(settings)) {}

    // The windows of an ordinary round: the current one and those before it that are not settled, newest first; then
    // those whose last walk failed, in the order of their failures.
    std::vector<WindowChoice> recent(Instant now, const Known& known) const;
    // True if rows left their windows: then all windows after the current one are walked too, in one walk, because the
    // rows may have dates in the future.
    void rows_left(bool any) { rows_left_ = any; }
    // Up to `most` windows to walk while no round is due, all for the same reason: within `back` and due again, newest
    // first; otherwise never proven, newest first; otherwise those in which rows are sought that left another window,
    // newest first; otherwise due to settle, oldest proof first. The first two take turns where both are due: see
    // `walked`.
    std::vector<WindowChoice> next(Instant now, const Known& known, std::size_t most) const;
    // When `next` returns some: now or later. Empty: not before further windows have ended.
    std::optional<Instant> next_at(Instant now, const Known& known) const;
    // All windows that overlap [from, to), up to now, newest first.
    std::vector<WindowChoice> between(Instant from, Instant to, Instant now, const Known& known) const;

    // How many of `choices`, from the first, include all that `recent` returns; 0 if `choices` lack one.
    std::size_t keep_fresh(const std::vector<WindowChoice>& choices, Instant now, const Known& known) const;

    // True if a settled window within `back` missed three of its turns. The rounds alone then do not prove the table.
    bool is_behind(Instant now, const Known& known) const;

    // The windows that begin then were requested; `before` was known. After proven ones, it is the turn of those never
    // proven: where walking the former again takes as long as its interval, some are always due.
    void walked(const std::vector<Instant>& begins, Instant now, const Known& before);

    // The walk of the window that begins at `from` failed: others precede it for a pause that grows with each failure
    // after pages had arrived. If none had, the service itself may be down.
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
        std::uint32_t count = 0;  // failures after pages had arrived
    };
    Instant not_before(const Failure& failure) const;
    // When the last walk of the window failed; empty if it was published.
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
    bool owes_load_ = false;                     // the last windows walked besides those of rounds were proven before
    std::map<std::int64_t, Failure> failures_;   // by the window's number, since the process began
    mutable std::vector<schedule::Window> cut_;  // windows by number, as far as computed: time zones are slow
};

}  // namespace shelfd::sync
