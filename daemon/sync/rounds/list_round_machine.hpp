// Decides, list by list, whether a round over lists by parent goes on, and whose fault it is where one cannot be
// walked.
#pragma once

#include <cstdint>

namespace shelfd::sync {

enum class ListEnd {
    walked,     // published
    refused,    // the service has spoken: 403, 404, an answer nobody can read as this list
    failed,     // 5xx, time-out, cut: worth another try
    not_asked,  // nothing was sent: no token, no permission to publish, no disk
};

enum class RoundState {
    trying,   // no list of the table is known to be good
    proven,   // one is: what goes wrong with others is their own matter
    stopped,  // the rest waits for the next try
};

// No I/O, no clock, no log. One object a round.
//
//   state    list ended        next state  because
//   trying   walked            proven
//   trying   refused           trying      after max_refusals in a row: stopped, for path or permission are wrong
//   proven   refused           proven      one list is no reason to keep others waiting
//   trying/proven failed       the same    after max_failures in a row, with a list ahead that nothing is wrong with:
//                                          stopped, for then it is the service that fails
//   any      not_asked         stopped
//   proven   walked            proven
class ListRoundMachine {
public:
    struct Settings {
        bool good_elsewhere = false;      // a list that this round does not walk is known to be good
        std::uint32_t max_refusals = 20;  // enough to see that nothing fits, few enough to try others soon
        std::uint32_t max_failures = 3;   // lists in a row, each of which was tried several times
    };

    explicit ListRoundMachine(Settings settings)
        : settings_(settings), state_(settings.good_elsewhere ? RoundState::proven : RoundState::trying)
    {
    }

    // `next_is_sound`: there is a list ahead that could be walked when that was last tried, or never was.
    RoundState ended(ListEnd end, bool next_is_sound);

    RoundState state() const { return state_; }
    // Whether some list is good, so that one that is not is a matter of its own.
    bool any_good() const { return any_good_ || settings_.good_elsewhere; }

private:
    Settings settings_;
    RoundState state_;
    bool any_good_ = false;
    std::uint32_t refusals_ = 0;
    std::uint32_t failures_ = 0;
};

}  // namespace shelfd::sync
