#include "oauth/intake/import_outcome.hpp"

#include "oauth/status/describe.hpp"

#include <fmt/core.h>

namespace shelfd::oauth {
namespace {

std::string text_of(const TokenFacts& facts, ImportMode mode, const ImportOutcome& outcome)
{
    const auto origin = facts.sets.present()->origin;
    if (origin == Origin::granted) {
        return "token set accepted; nobody else has seen it, so it needs no sealing";
    }
    if (outcome.sealed) {
        return "token set accepted and sealed (refreshed once); the pasted copy no longer works";
    }
    if (origin == Origin::untried) {
        return "token set accepted, but its access token has expired and no new one was received yet: " +
               why_not(facts).text();
    }
    const bool is_refreshed = origin == Origin::rotated;
    if (mode == ImportMode::seal && is_refreshed) {
        return "token set accepted, but it cannot be sealed: the service does not rotate refresh tokens, so the pasted "
               "copy still works";
    }
    if (mode == ImportMode::seal) {
        return "token set accepted, but not sealed yet: " + why_not(facts).text();
    }
    if (is_refreshed) {
        return "token set accepted; its access token had expired and was refreshed";
    }
    return mode == ImportMode::leave_alone ? "token set accepted without sealing"
                                           : "access token accepted; it is used until it expires";
}

// "; it belongs to library 42 (Bakery Antwerp)"; "" if the service does not name the library.
std::string owner_of(const CanaryReading& reading)
{
    if (reading.library_id.empty()) {
        return "";
    }
    const auto name = reading.library_name.empty() ? "" : fmt::format(" ({})", reading.library_name);
    return fmt::format("; it belongs to library {}{}", reading.library_id, name);
}

}  // namespace

Result<ImportOutcome> import_outcome(const TokenFacts& facts, ImportMode mode, const Secret& given,
                                     const CanaryReading& reading)
{
    const auto known = describe(facts);
    const auto& set = *facts.sets.present();
    if (set.origin == Origin::restored) {
        return Error(ErrorKind::needs_person,
                     "the service refuses this refresh token: it was used already, revoked, or "
                     "issued to another application (client_id); the previous set is in use again");
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
    outcome.text = text_of(facts, mode, outcome) + owner_of(reading);
    return outcome;
}

}  // namespace shelfd::oauth
