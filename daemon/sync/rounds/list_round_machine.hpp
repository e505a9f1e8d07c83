// Decides, list by list, whether a round over lists by parent continues, and whether a failure concerns only one list.
#pragma once

#include <cstdint>

namespace shelfd::sync {

enum class ListEnd {
    walked,     // published
    refused,    // the service refused: 403, 404, an answer that is not readable as this list
    failed,     // 5xx, timeout, truncated: retried later
    not_asked,  // nothing was sent: no token, no permission to publish, no disk
};

enum class RoundState {
    trying,   // no list of the table is known to work
    proven,   // at least one works: failures of others are their own
    stopped,  // the remaining lists wait for the next try
};

// No I/O, clock or log. One object for each round.
//
//   state    list ended        next state  because
//   trying   walked            proven
//   trying   refused           trying      after max_refusals in a row: stopped, path or permission are wrong
//   proven   refused           proven      one list is no reason to delay others
//   trying/proven failed       the same    after max_failures in a row, with a sound list ahead: stopped, because the
//                                          service fails, not the lists
//   any      not_asked         stopped
//   proven   walked            proven
class ListRoundMachine {
public:
    struct Settings {
        bool good_elsewhere = false;      // a list that this round does not walk is known to work
        std::uint32_t max_refusals = 20;  // enough to see that nothing works, few enough to try others soon
        std::uint32_t max_failures = 3;   // lists in a row, each of which was tried several times
    };

    explicit ListRoundMachine(Settings settings)
        : settings_(settings), state_(settings.good_elsewhere ? RoundState::proven : RoundState::trying)
    {
    }

    // `next_is_sound`: a list ahead worked at its last try, or was never tried.
    RoundState ended(ListEnd end, bool next_is_sound);

    RoundState state() const { return state_; }
    // True if some list works, so that a failure concerns only its own list.
    bool any_good() const { return any_good_ || settings_.good_elsewhere; }

private:
    Settings settings_;
    RoundState state_;
    bool any_good_ = false;
    std::uint32_t refusals_ = 0;
    std::uint32_t failures_ = 0;
};

}  // namespace shelfd::sync
