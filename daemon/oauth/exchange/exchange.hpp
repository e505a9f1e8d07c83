// One exchange with the token endpoint: its turn, the client secret, the POST, and writing the answer to disk.
#pragma once

#include "base/boxed.hpp"
#include "oauth/endpoint/answer_class.hpp"
#include "oauth/exchange/exchange_tally.hpp"
#include "oauth/stored/journal_tender.hpp"

namespace shelfd::oauth {

// Before `send`, the caller must have made the slot for the answer and the INTENT durable. Received bytes go to the
// slot before anything reads them. Failures are recorded in `standing`.
class Exchange {
public:
    Exchange(const TokenKeeperSettings& settings, const TokenKeeperServices& services, const Moments& moments,
             JournalTender& journals, StandingRecord& standing);
    Exchange(const Exchange&) = delete;
    Exchange& operator=(const Exchange&) = delete;

    asio::awaitable<Result<Secret>> read_secret();
    // Waits for the turn among the exchanges of the origin. Returns false if an exchange of Haste::calm waited too
    // long. A replay that follows at once keeps the turn of the exchange that it repeats: it must not wait for itself.
    asio::awaitable<bool> take_turn(Haste haste);
    void keep_secret(Secret secret) { client_secret_ = std::move(secret); }
    // Drops client secret and turn: the exchange is over, or will not happen.
    void let_go();

    enum class Sending { ended, not_sent };
    // Refreshes with the stored client secret, and counts the exchange.
    asio::awaitable<Sending> refresh(const Secret& refresh_token);
    // Sends the request once. For grants other than a refresh: call `close_answer` next, unless it returned not_sent.
    asio::awaitable<Sending> send(http::Request request);
    // Makes the received bytes durable, then classifies them.
    asio::awaitable<ClassifiedAnswer> close_answer();
    // The same for a refresh: sets `landed`, and `survivor` for an answer that was cut off. If there is a new set, the
    // turn ends: other libraries need not wait for our disk.
    asio::awaitable<void> land();
    // Takes an answer that an earlier run of the daemon left in the journal.
    void recover(ClassifiedAnswer landed);

    const ClassifiedAnswer& landed() const { return landed_; }
    bool has_new_set() const;
    // The access token of an answer whose refresh token did not arrive.
    const Boxed<TokenAnswer>& survivor() const { return survivor_; }
    void drop_survivor() { survivor_.reset(); }
    // For a set that no record can hold; its access token may fit alone.
    enum class Salvage { access_token, nothing };
    void give_up_answer(Salvage salvage, std::string why);

    const ExchangeTally& tally() const { return tally_; }
    // Time from the last byte of an answer until it was durable.
    std::optional<Duration> last_landing() const { return last_landing_; }

private:
    // The received bytes of an answer.
    struct IncomingAnswer {
        std::string body;
        int status = 0;
        bool complete = false;
        Duration retry_after{0};
        std::optional<BootTime> last_byte;  // nullopt: nothing received
        void wipe();
    };

    void keep_survivor();
    void take_target(const http::Response& response);

    const TokenKeeperSettings& settings_;
    const TokenKeeperServices& services_;
    const Moments& moments_;
    JournalTender& journals_;
    StandingRecord& standing_;
    Secret client_secret_;
    Secret presented_;  // refresh token of the exchange in progress; "" = another grant
    TokenKeeperServices::Permit permit_;
    IncomingAnswer arriving_;
    ClassifiedAnswer landed_;
    Boxed<TokenAnswer> survivor_;
    ExchangeTally tally_;
    std::optional<Duration> last_landing_;
};

}  // namespace shelfd::oauth
