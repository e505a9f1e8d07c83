// The progress of a pass under way.
#pragma once

#include "base/instant.hpp"
#include "base/state/phase.hpp"
#include "base/state/trouble.hpp"
#include "budget/limiter.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace shelfd::sync {

using shelfd::Phase;

// For `sync` with progress, `status` and STATUS=.
struct Progress {
    bool running = false;
    Instant started;
    Phase phase = Phase::identity;
    std::uint32_t page = 0;                         // being fetched, from 1
    std::uint32_t pages = 0;                        // expected in all; 0 = not known yet
    std::uint64_t rows = 0;                         // staged so far
    std::uint64_t count = 0;                        // the service's count of rows in the list; 0 = not known yet
    std::string note;                               // the trouble that the pass waits for; "" = none
    TroubleSource source = TroubleSource::service;  // of that trouble
    std::optional<Instant> held_up_since = {};      // since when it has let nothing arrive
    std::uint64_t list = 0;  // for lists by parent: number in this round, from 1; 0 = no lists by parent
    std::uint64_t lists = 0;
    std::shared_ptr<const budget::FlowWait> wait = {};  // of its requests at the limiter; nullptr = not known
    Duration waited_before{0};                          // in that flow, when the pass began
    // Time at work: without what the pass, or a whole round over lists, has waited for the limit.
    Instant round_started = {};
    Duration worked{0};        // of the pass, when a page or item arrived last
    Duration round_worked{0};  // of the round, when its list began

    Duration worked_until(Instant now) const;
    Duration round_worked_until(Instant now) const;
};

// What keeps a pass under way from advancing, after several tries.
struct Obstacle {
    std::string why;
    TroubleSource source = TroubleSource::service;
};

// Passes and queues of details report here; writes the progress that people see. Loop only.
class PassBoard {
public:
    // `progress` must outlive this object. Only changed() calls `on_change`, so that several writes make one report.
    PassBoard(Progress& progress, std::function<void()> on_change)
        : progress_(progress), on_change_(std::move(on_change))
    {
    }

    void changed() const { on_change_(); }

    // A pass begins; the numbers of list and round stay.
    void begin(Instant now);
    // `items` items are to be fetched one by one.
    void begin_details(Instant now, std::uint64_t items);
    void end() { progress_.running = false; }

    // Its requests wait in that flow.
    void follow(const budget::Flow& flow);

    void enter(Phase phase) { progress_.phase = phase; }
    void ask_for_page(Phase phase, std::uint32_t page);
    // A page of `items` rows arrived, `fresh` of them new to this pass; `count` as in Progress.
    enum class Place { first, further };
    void page_arrived(Place place, std::uint64_t items, std::uint64_t fresh, std::uint64_t count, Instant now);
    void start_over() { progress_.rows = 0; }
    void note(std::string text) { progress_.note = std::move(text); }
    // Nothing arrives because of `why`; the pass waits.
    void hold_up(const std::string& why, TroubleSource source, Instant now);

    // `show` shows readers an obstacle; an empty one is over. Without it none is shown.
    using ShowObstacle = std::function<boost::asio::awaitable<void>(std::optional<Obstacle> met)>;
    void show_obstacles_by(ShowObstacle show) { show_obstacle_ = std::move(show); }
    boost::asio::awaitable<void> meet_obstacle(Obstacle met);
    // True if a page has arrived since an obstacle was met: call end_obstacle.
    bool is_obstacle_over() const { return obstacle_ == Met::over; }
    boost::asio::awaitable<void> end_obstacle();

    void begin_round(Instant now);
    // List number `list` of `lists`; 0 of 0: the round is over.
    void enter_list(std::uint64_t list, std::uint64_t lists, Instant now);

    void expect_items(std::uint64_t more) { progress_.count += more; }
    void item_arrived(Instant now);

private:
    enum class Met { none, in_the_way, over };

    Progress& progress_;
    std::function<void()> on_change_;
    ShowObstacle show_obstacle_;
    Met obstacle_ = Met::none;
};

}  // namespace shelfd::sync
