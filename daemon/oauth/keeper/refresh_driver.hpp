// Carries out the actions of the refresh machine, one function for each, and reports the results.
#pragma once

#include "base/boxed.hpp"
#include "oauth/intake/keeper_parts.hpp"
#include "oauth/keeper/next_set.hpp"

namespace shelfd::oauth {

class RefreshDriver {
public:
    using Action = RefreshMachine::Action;
    using Event = RefreshMachine::Event;
    using EventKind = RefreshMachine::EventKind;

    // `places`: paths of the journals, for people.
    RefreshDriver(const KeeperParts& parts, const std::string& places) : parts_(parts), places_(places) {}

    // Performs actions until the machine rests. Can be cancelled, except between an INTENT and its result.
    asio::awaitable<Action> drive(Action action);
    Event make_event(EventKind kind) const;
    // The event for the answer that was read.
    Event landed_event() const;
    // For the next `rejected`: the address that refused, see TokenKeeper::reject.
    void set_refuser(std::optional<CanarySpec> refuser) { refuser_ = std::move(refuser); }
    // The client secret may have changed. Returns true if a refresh waited for that.
    bool read_secret_again();

private:
    asio::awaitable<Action> drive_shielded(Action action);
    asio::awaitable<Event> perform(Action action);
    asio::awaitable<Event> ask_canary(RefreshMachine::ActionKind kind);
    asio::awaitable<Event> ask_refuser();
    asio::awaitable<Event> reread();
    asio::awaitable<Event> probe_disk();
    asio::awaitable<Event> write_intent();
    asio::awaitable<Event> exchange();
    asio::awaitable<Event> land();
    asio::awaitable<Event> commit(Action action);
    asio::awaitable<Event> write_verdict();

    NextSetFacts next_set_facts(const TokenAnswer& answer) const;
    std::string given_up_text() const;
    Event give_up_answer(RefreshMachine::ActionKind kind, const Written& written);
    void log_commit(RefreshMachine::ActionKind kind) const;
    void log_verdict() const;

    const KeeperParts& parts_;
    const std::string& places_;
    Boxed<CanarySpec> refuser_;
    bool secret_is_new_ = false;  // the exchange in progress may have read the previous one
};

}  // namespace shelfd::oauth
