// Asks the canary whether an access token works, and for which library.
#pragma once

#include "oauth/stored/held_sets.hpp"

namespace shelfd::oauth {

// Each request waits for a permit of the limiter, with the haste of the machine.
class CanaryAsker {
public:
    CanaryAsker(const TokenKeeperSettings& settings, const TokenKeeperServices& services, const HeldSets& sets,
                const RefreshMachine& machine);

    // The canary in use, with our library's id if it is known.
    CanarySpec spec() const;
    void set_spec(CanarySpec spec) { spec_ = std::move(spec); }
    bool names_library() const { return !spec_.identity_field.empty(); }
    // See `mark_of`.
    std::string mark() const;

    // nullopt = without a token.
    asio::awaitable<CanaryReading> ask(std::optional<Secret> token);
    // The same, but returns unreachable if no answer comes within the time that the commit oracle can wait.
    asio::awaitable<CanaryReading> ask_in_time(std::optional<Secret> token);
    // Asks another page; does not affect the state of the canary.
    asio::awaitable<CanaryReading> ask_other(CanarySpec spec, Secret token);

    // What a person must correct before the canary can answer; "" = nothing.
    const std::string& fault() const { return fault_; }
    // Why the page does not say whose token it is; "" = it does, or is not to say it.
    const std::string& user_fault() const { return user_fault_; }
    // An error of this machine's clock; "" = none known.
    const std::string& clock_trouble() const { return clock_trouble_; }
    void record_clock(std::string trouble);

private:
    asio::awaitable<Result<http::Response>> send(const CanarySpec& spec, std::optional<Secret> token);

    const TokenKeeperSettings& settings_;
    const TokenKeeperServices& services_;
    const HeldSets& sets_;
    const RefreshMachine& machine_;
    CanarySpec spec_;
    std::string fault_;
    std::string user_fault_;
    std::string clock_trouble_;
};

}  // namespace shelfd::oauth
