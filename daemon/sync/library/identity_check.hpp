// Are we still talking about the library we mirror? One answer serves all who can bear its age.
#pragma once

#include "budget/ledger.hpp"
#include "oauth/keeper/token_keeper.hpp"
#include "runtime/async/async_event.hpp"
#include "runtime/async/clock.hpp"
#include "sync/trouble/trouble.hpp"

#include <optional>
#include <string>

namespace shelfd::sync {

class CanaryChoice;

// Of what is asked to tell whose token it is.
enum class Fitness {
    fit,      // it refuses a wrong token
    unfit,    // its answer says nothing about the token
    unknown,  // the service gave no answer that says so
};

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
    // The same by an answer to a question that was asked after `moment`, when the last row came that is to be seen.
    asio::awaitable<Answer> confirm_after(BootTime moment);
    // Without asking anybody.
    bool is_confirmed(Duration max_age) const { return confirmed_at_ && clock_.boot_now() - *confirmed_at_ < max_age; }
    bool is_confirmed_after(BootTime moment) const { return confirmed_at_ && *confirmed_at_ > moment; }

    // Before rows go: whether what answers for us refuses a wrong token. The page that names the library is asked once
    // an hour at most; a list that stands in, after `moment`, when the last row came, for lists become readable for
    // everybody at any moment. Where it takes any token now, another one is looked for.
    struct Proving {
        Fitness fitness = Fitness::fit;
        std::string why = {};  // unless fit
        std::uint32_t requests = 0;
    };
    asio::awaitable<Proving> prove_fit(BootTime moment);
    // As far as is known nothing tells a token that works from a wrong one.
    bool is_unfit() const;

    // Nothing learned so far counts any more: a token was imported, an answer contradicted.
    void forget() { confirmed_at_.reset(); }

private:
    asio::awaitable<Answer> ask();
    asio::awaitable<Answer> ask_now();
    asio::awaitable<Fitness> try_wrong_token(budget::Tally& spent);
    Answer heed(Answer answer);

    Clock& clock_;
    oauth::TokenKeeper& keeper_;
    CanaryChoice* stand_in_ = nullptr;
    AsyncMutex asking_;
    AsyncMutex proving_;
    std::optional<BootTime> confirmed_at_;
    std::optional<BootTime> proven_fit_at_;
    bool takes_any_token_ = false;  // the page that names the library did, when it was last tried
};

}  // namespace shelfd::sync
