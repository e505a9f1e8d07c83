// What a pass under way is doing.
#pragma once

#include "base/instant.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace shelfd::sync {

// What a pass, or the queue of details, is doing.
enum class Phase {
    identity,  // asking whose token it is
    pages,
    closing,    // looking at page 1 once more
    witnesses,  // asking for rows that the list lacks, by themselves
    publishing,
    waiting,  // for trouble to pass
    details,  // asking for items one by one
    queued,   // until a long list may be walked: others of the library are
};

const char* to_string(Phase phase);

// For `sync` with progress, `status` and STATUS=.
struct Progress {
    bool running = false;
    Instant started;
    Phase phase = Phase::identity;
    std::uint32_t page = 0;                     // being fetched, from 1
    std::uint32_t pages = 0;                    // expected in all, 0 = not known yet
    std::uint64_t rows = 0;                     // staged so far
    std::uint64_t count = 0;                    // rows in the list by the service, 0 = not known yet
    std::string note;                           // the trouble that is being waited out, "" = none
    std::optional<Instant> held_up_since = {};  // by that trouble, nothing arrived
    std::uint64_t list = 0;  // of lists by parent: which one of this round, from 1; 0 = there are no such lists
    std::uint64_t lists = 0;
    Instant round_started = {};
};

// Where passes, and queues of details, report what they do: writes the progress that people see. Loop only.
class PassBoard {
public:
    // `progress` outlives it. `on_change` is called by changed() only, so that several writes make one report.
    PassBoard(Progress& progress, std::function<void()> on_change)
        : progress_(progress), on_change_(std::move(on_change))
    {
    }

    void changed() const { on_change_(); }

    // A pass begins; the list and the round that it belongs to stay.
    void begin(Instant now);
    // So many items are to be fetched one by one.
    void begin_details(Instant now, std::uint64_t items);
    void end() { progress_.running = false; }

    void enter(Phase phase) { progress_.phase = phase; }
    void ask_for_page(Phase phase, std::uint32_t page);
    // A page of `items` rows, `fresh` of them not seen before in this pass; `count` as in Progress.
    enum class Place { first, further };
    void page_arrived(Place place, std::uint64_t items, std::uint64_t fresh, std::uint64_t count);
    void start_over() { progress_.rows = 0; }
    void note(std::string text) { progress_.note = std::move(text); }
    // Nothing arrives because of `why`, which is waited out.
    void hold_up(const std::string& why, Instant now);

    void begin_round(Instant now) { progress_.round_started = now; }
    // List number `list` of `lists`; 0 of 0: the round is over.
    void enter_list(std::uint64_t list, std::uint64_t lists);

    void expect_items(std::uint64_t more) { progress_.count += more; }
    void item_arrived();

private:
    Progress& progress_;
    std::function<void()> on_change_;
};

}  // namespace shelfd::sync
