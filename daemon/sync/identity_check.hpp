// Are we still talking about the library we mirror? One answer serves all who can bear its age.
#pragma once

#include "budget/ledger.hpp"
#include "oauth/token_keeper.hpp"
#include "runtime/async_event.hpp"
#include "runtime/clock.hpp"
#include "sync/trouble.hpp"

#include <optional>
#include <string>

namespace shelfd::sync {

class CanaryChoice;

// Loop only. Concurrent callers share one request.
class IdentityCheck {
public:
    IdentityCheck(Clock& clock, oauth::TokenKeeper& keeper) : clock_(clock), keeper_(keeper) {}

    // Without an identity endpoint a list stands in for it. The stand-in vouches for the token only: a 403 or an outage
    // of that list concerns that list's own passes. `stand_in` outlives this.
    void set_stand_in(CanaryChoice& stand_in) { stand_in_ = &stand_in; }
    // Finds out, where that is due, which list can stand in. What that asked is added to `spent`.
    asio::awaitable<void> prepare(budget::Tally& spent);
    // There is something to ask.
    bool is_possible() const;

    // Ours (trouble none), by an answer at most `max_age` old, or why that cannot be said.
    struct Answer {
        Trouble trouble = Trouble::none;
        std::string why;
        std::uint32_t requests = 0;  // sent to be able to say so
        bool unsure = false;         // nothing can be asked any more: the token may be dead as well
    };
    asio::awaitable<Answer> confirm(Duration max_age);
    // Without asking anybody.
    bool is_confirmed(Duration max_age) const { return confirmed_at_ && clock_.boot_now() - *confirmed_at_ < max_age; }

    // Nothing learned so far counts any more: a token was imported, an answer contradicted.
    void forget() { confirmed_at_.reset(); }

private:
    asio::awaitable<Answer> ask();
    Answer heed(Answer answer);

    Clock& clock_;
    oauth::TokenKeeper& keeper_;
    CanaryChoice* stand_in_ = nullptr;
    AsyncMutex asking_;
    std::optional<BootTime> confirmed_at_;
};

}  // namespace shelfd::sync
