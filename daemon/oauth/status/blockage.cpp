#include "oauth/status/blockage.hpp"

#include "oauth/status/describe.hpp"

namespace shelfd::oauth {
namespace {

// Longer than outages of a service usually last; applies when the token no longer works or the canary is misconfigured.
constexpr Duration unreachable_patience = std::chrono::hours(1);

}  // namespace

bool Blockage::holds(const TokenFacts& facts) const
{
    const auto& machine = facts.machine;
    if (machine.is_exchanging()) {
        return false;
    }
    switch (machine.why()) {
    case Why::secret: return true;
    case Why::storage: return facts.journals.copies == 0 || !facts.journals.unread.empty();
    case Why::unreachable:
        return (!facts.canary_fault.empty() || !machine.access_is_usable(facts.now)) && unreachable_since_ &&
               facts.now - *unreachable_since_ >= unreachable_patience;
    default: return false;
    }
}

Instant Blockage::since(const TokenFacts& facts) const
{
    if (reported_) {
        return *reported_;
    }
    const auto began = unreachable_since_ ? *unreachable_since_ + unreachable_patience : facts.now;
    return facts.moments.at(std::min(began, facts.now)).wall;
}

void Blockage::record(const TokenFacts& facts, const Log& log)
{
    const auto is_unreachable = facts.machine.why() == Why::unreachable;
    const auto was_unreachable = unreachable_since_.has_value();
    if (is_unreachable != was_unreachable) {
        unreachable_since_ = is_unreachable ? std::optional(facts.now) : std::nullopt;
    }
    const auto state = state_of(facts);
    const auto is_blocked = state == TokenState::blocked;
    if (is_blocked && !reported_) {
        const auto known = describe(facts);
        reported_ = known.since;
        log.error("the token set cannot be refreshed",
                  {{"library", facts.library}, {"reason", known.reason}, {"do", known.do_this}});
    } else if (reported_ && !is_blocked && !needs_person(state)) {
        log.info("the token set can be refreshed again", {{"library", facts.library}});
    } else if (is_unreachable && !was_unreachable) {
        log.warning("a refresh is due and waits: the service cannot be asked about the token",
                    {{"library", facts.library}, {"reason", facts.standing.trouble()}});
    }
    reported_ = is_blocked ? reported_ : std::nullopt;
}

}  // namespace shelfd::oauth
