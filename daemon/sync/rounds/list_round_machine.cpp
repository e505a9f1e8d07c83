#include "sync/rounds/list_round_machine.hpp"

namespace shelfd::sync {

RoundState ListRoundMachine::ended(ListEnd end, bool next_is_sound)
{
    switch (end) {
    case ListEnd::walked:
        any_good_ = true;
        refusals_ = failures_ = 0;
        state_ = RoundState::proven;
        break;
    case ListEnd::refused:
        failures_ = 0;
        if (++refusals_ >= settings_.max_refusals && state_ == RoundState::trying) {
            state_ = RoundState::stopped;
        }
        break;
    case ListEnd::failed:
        if (++failures_ >= settings_.max_failures && next_is_sound) {
            state_ = RoundState::stopped;
        }
        break;
    case ListEnd::not_asked: state_ = RoundState::stopped; break;
    }
    return state_;
}

}  // namespace shelfd::sync
