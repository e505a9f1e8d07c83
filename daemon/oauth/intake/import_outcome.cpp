#include "oauth/intake/import_outcome.hpp"

#include "oauth/status/describe.hpp"

namespace shelfd::oauth {
namespace {

std::string text_of(const TokenFacts& facts, ImportMode mode, const ImportOutcome& outcome)
{
    const auto origin = facts.sets.present()->origin;
    if (origin == Origin::granted) {
        return "the set is in force; nobody else has ever seen it, so it needs no sealing";
    }
    if (outcome.sealed) {
        return "the set is in force and sealed: what was pasted is dead";
    }
    if (origin == Origin::untried) {
        return "the set is in force, but its access token has ended, and no new one came yet: " + why_not(facts).text();
    }
    const bool is_refreshed = origin == Origin::rotated;
    if (mode == ImportMode::seal && is_refreshed) {
        return "the set is in force, but cannot be sealed: the service does not rotate refresh tokens, so whoever has "
               "what was pasted can still use it";
    }
    if (mode == ImportMode::seal) {
        return "the set is in force, but not sealed yet: " + why_not(facts).text();
    }
    if (is_refreshed) {
        return "the set is in force; its access token had ended, and is new";
    }
    return mode == ImportMode::leave_alone ? "the set is in force as it was given"
                                           : "the access token is in force until it ends";
}

}  // namespace

Result<ImportOutcome> import_outcome(const TokenFacts& facts, ImportMode mode, const Secret& given)
{
    const auto known = describe(facts);
    const auto& set = *facts.sets.present();
    if (set.origin == Origin::restored) {
        return Error(ErrorKind::usage,
                     "the service refuses this refresh token: it was used already, revoked, or issued to "
                     "another application (client_id); the set in force before is in force again");
    }
    const auto standing = facts.machine.standing();
    if (standing == Standing::foreign || standing == Standing::lost) {
        return Error(ErrorKind::needs_person, known.reason + "; " + known.do_this);
    }
    ImportOutcome outcome;
    outcome.generation = set.generation;
    outcome.sealed = mode == ImportMode::seal && set.origin == Origin::rotated && !set.refresh.equals(given);
    outcome.library_id = set.library_id;
    outcome.scope = set.scope;
    outcome.expires = known.expires;
    outcome.text = text_of(facts, mode, outcome);
    return outcome;
}

}  // namespace shelfd::oauth
