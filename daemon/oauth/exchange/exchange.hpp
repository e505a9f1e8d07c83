// One exchange with the token endpoint: its turn, the client secret, the POST, and its answer on the way to the disk.
#pragma once

#include "base/boxed.hpp"
#include "oauth/endpoint/answer_class.hpp"
#include "oauth/exchange/exchange_tally.hpp"
#include "oauth/held/journal_tender.hpp"

namespace shelfd::oauth {

// Before `send`, the slot for the answer and the INTENT are durable; that is the caller's matter. What arrives goes
// into the slot before anything looks at it. Troubles are noted in `standing`.
class Exchange {
public:
    Exchange(const TokenKeeperSettings& settings, const TokenKeeperServices& services, const Moments& moments,
             JournalTender& journals, StandingRecord& standing);
    Exchange(const Exchange&) = delete;
    Exchange& operator=(const Exchange&) = delete;

    asio::awaitable<Result<Secret>> read_secret();
    // Waits for the turn among the exchanges of the origin; false: it is too crowded for a calm one. A replay at once
    // has the turn of the exchange that it repeats: it waited for itself otherwise.
    asio::awaitable<bool> take_turn(Haste haste);
    void keep_secret(Secret secret) { client_secret_ = std::move(secret); }
    // Client secret and turn: the exchange is over, or does not come.
    void let_go();

    enum class Sending { ended, not_sent };
    // Refreshes with the secret kept, and counts it.
    asio::awaitable<Sending> refresh(const Secret& refresh_token);
    // Once. For another grant: `close_answer` comes next unless it was not sent.
    asio::awaitable<Sending> send(http::Request request);
    // Makes what arrived durable, then reads it.
    asio::awaitable<ClassifiedAnswer> close_answer();
    // The same for a refresh: `landed` holds the answer, `survivor` what outlives a cut one. Where there is a new set,
    // the turn ends: the others of the service need not wait for our disk.
    asio::awaitable<void> land();
    // An answer that a former run of the daemon left in the journal.
    void recover(ClassifiedAnswer landed);

    const ClassifiedAnswer& landed() const { return landed_; }
    bool has_new_set() const;
    // The access token of an answer whose refresh token did not arrive.
    const Boxed<TokenAnswer>& survivor() const { return survivor_; }
    void drop_survivor() { survivor_.reset(); }
    // No record can hold the set that landed; its access token may fit alone.
    enum class Salvage { access_token, nothing };
    void give_up_answer(Salvage salvage, std::string why);

    const ExchangeTally& tally() const { return tally_; }
    // From the last byte of an answer until it was durable.
    std::optional<Duration> last_landing() const { return last_landing_; }

private:
    // The bytes of an answer as they come.
    struct IncomingAnswer {
        std::string body;
        int status = 0;
        bool complete = false;
        Duration retry_after{0};
        std::optional<BootTime> last_byte;  // nullopt: nothing came
        void wipe();
    };

    void keep_survivor();

    const TokenKeeperSettings& settings_;
    const TokenKeeperServices& services_;
    const Moments& moments_;
    JournalTender& journals_;
    StandingRecord& standing_;
    Secret client_secret_;
    TokenKeeperServices::Permit permit_;
    IncomingAnswer arriving_;
    ClassifiedAnswer landed_;
    Boxed<TokenAnswer> survivor_;
    ExchangeTally tally_;
    std::optional<Duration> last_landing_;
};

}  // namespace shelfd::oauth
