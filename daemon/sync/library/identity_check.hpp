// Checks that the token still belongs to the mirrored library. Callers share an answer if its age suits them.
#pragma once

#include "budget/tally.hpp"
#include "oauth/keeper/token_keeper.hpp"
#include "runtime/async/async_event.hpp"
#include "runtime/async/clock.hpp"
#include "sync/trouble/trouble.hpp"

#include <optional>
#include <string>

namespace shelfd::sync {

class CanaryChoice;

// Whether a page shows that a token works.
enum class Fitness {
    fit,      // it refuses a wrong token
    unfit,    // its answer shows nothing about the token
    unknown,  // no usable answer
};

// Loop only. Concurrent callers share one request.
class IdentityCheck {
public:
    IdentityCheck(Clock& clock, oauth::TokenKeeper& keeper) : clock_(clock), keeper_(keeper) {}

    // Without an identity page, a list replaces it. It vouches only for the token: a 403 or an outage of that list
    // matters only to that list's own passes. `stand_in` must outlive this object.
    void set_stand_in(CanaryChoice& stand_in) { stand_in_ = &stand_in; }
    // Chooses the list that replaces the identity page, if that is due. Adds its requests to `spent`.
    asio::awaitable<void> prepare(budget::Tally& spent);
    // True if there is a page or list to request.
    bool is_possible() const;

    // Trouble none if an answer at most `max_age` old shows that the token is ours, and none since says otherwise; else
    // why not. If the list that replaces the identity page no longer accepts our token, another one is looked for.
    struct Answer {
        Trouble trouble = Trouble::none;
        std::string why;
        std::uint32_t requests = 0;  // sent for this answer
        bool unsure = false;         // trouble passing, because no list is left to request: asking again is useless
        TroubleSource source = TroubleSource::service;  // of trouble that passes, or needs a person
    };
    asio::awaitable<Answer> confirm(Duration max_age);
    // The same with a request sent after `moment`, when the last row arrived that is to become visible.
    asio::awaitable<Answer> confirm_after(BootTime moment);
    // These send no request.
    bool is_confirmed(Duration max_age) const;
    bool is_confirmed_after(BootTime moment) const { return confirmed_at_ && *confirmed_at_ > moment; }

    // Call before rows are deleted: tests whether the page or list refuses a wrong token. The identity page is tested
    // at most once an hour; a list that replaces it, after `moment`, when the last row arrived, because a list may
    // become public at any moment. If the list now accepts any token, another one is looked for.
    struct Proving {
        Fitness fitness = Fitness::fit;
        std::string why = {};  // empty if fit
        std::uint32_t requests = 0;
    };
    asio::awaitable<Proving> prove_fit(BootTime moment);
    // The same before rows lose members or many of them change: the result of a test counts for an hour.
    asio::awaitable<Proving> prove_fit_lately();
    // True if no page or list is known to distinguish a working token from a wrong one.
    bool is_unfit() const;

    // Discards what is known: a token was imported, or an answer contradicted it.
    void forget() { confirmed_at_.reset(); }

private:
    asio::awaitable<Answer> ask();
    asio::awaitable<Answer> ask_now();
    asio::awaitable<Fitness> try_wrong_token(budget::Tally& spent);
    asio::awaitable<Proving> prove_now();
    // True if the answer concerns only the list that replaces the identity page.
    bool shows_nothing(const Answer& answer) const;
    asio::awaitable<Answer> ask_another_list(Answer refusal);

    Clock& clock_;
    oauth::TokenKeeper& keeper_;
    CanaryChoice* stand_in_ = nullptr;
    AsyncMutex asking_;
    AsyncMutex proving_;
    std::optional<BootTime> confirmed_at_;
    std::optional<BootTime> denied_at_;  // the newest answer that was not ours
    std::optional<BootTime> proven_fit_at_;
    std::optional<BootTime> proven_unfit_at_;
    bool takes_any_token_ = false;  // the identity page accepted a wrong token in its last test
};

}  // namespace shelfd::sync
