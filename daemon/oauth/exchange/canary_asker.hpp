// Asks the canary: whether an access token works, and as whom.
#pragma once

#include "oauth/held/held_sets.hpp"

namespace shelfd::oauth {

// Each request takes its turn with the limiter, in the haste that the machine has.
class CanaryAsker {
public:
    CanaryAsker(const TokenKeeperSettings& settings, const TokenKeeperServices& services, const HeldSets& sets,
                const RefreshMachine& machine);

    // The canary in use, with the library that is known to be ours.
    CanarySpec spec() const;
    void set_spec(CanarySpec spec) { spec_ = std::move(spec); }
    bool names_library() const { return !spec_.identity_field.empty(); }
    // See `mark_of`.
    std::string mark() const;

    // nullopt: asks without a token.
    asio::awaitable<CanaryReading> ask(std::optional<Secret> token);
    // The same, and unreachable when no answer came within the patience of the commit oracle.
    asio::awaitable<CanaryReading> ask_in_time(std::optional<Secret> token);
    // What any page answers; says nothing about the canary.
    asio::awaitable<CanaryReading> ask_other(CanarySpec spec, Secret token);

    // What a person has to correct before the canary can tell anything; "" = nothing.
    const std::string& fault() const { return fault_; }
    // Of this machine's clock; "" = none known.
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
    std::string clock_trouble_;
};

}  // namespace shelfd::oauth
