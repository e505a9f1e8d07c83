#include "oauth/status/describe.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace shelfd::oauth {
namespace {

ErrorKind kind_of(Why why)
{
    switch (why) {
    case Why::throttled: return ErrorKind::throttled;
    case Why::secret: return ErrorKind::config;
    case Why::storage: return ErrorKind::storage;
    case Why::configuration:
    case Why::person:
    case Why::copied: return ErrorKind::needs_person;
    default: return ErrorKind::network;
    }
}

// State of a set whose standing is good, or in doubt with a wrong library.
TokenState working_state_of(const TokenFacts& facts)
{
    if (!facts.sets.wrong_library().empty()) {
        return TokenState::wrong_library;
    }
    if (facts.blockage.holds(facts)) {
        return TokenState::blocked;
    }
    const auto is_usable = facts.machine.access_is_usable(facts.now);
    if (facts.sets.present()->refresh.empty()) {
        return is_usable ? TokenState::ends : TokenState::ended;
    }
    if (facts.machine.is_exchanging()) {
        return TokenState::refreshing;
    }
    return is_usable ? TokenState::good : TokenState::waiting;
}

// The standing began with the set, or with the answer that changed it; an access token dies when its time is over.
Instant since_of(const TokenFacts& facts, TokenState state)
{
    const bool is_dead = state == TokenState::ended || state == TokenState::waiting;
    if (state == TokenState::blocked) {
        return facts.blockage.since(facts);
    }
    return is_dead && facts.machine.expires() <= facts.now ? facts.moments.at(facts.machine.expires()).wall
                                                           : facts.standing.since();
}

void describe_set(TokenStatus& status, const TokenFacts& facts)
{
    const auto& set = *facts.sets.present();
    status.generation = set.generation;
    status.scope = set.scope;
    status.from_login = set.from_login;
    status.lifetime = set.lifetime;
    status.last_refresh = set.issued.wall;
    status.expires = facts.moments.at(facts.machine.expires()).wall;
    status.fingerprint = set.refresh.empty() || facts.sets.is_moved_out() ? "" : fingerprint(set.refresh);
}

}  // namespace

TokenState state_of(const TokenFacts& facts)
{
    const auto& machine = facts.machine;
    const auto has_set = facts.sets.has_set();
    if (!facts.journals.bar().empty() || (!has_set && facts.journals.is_damaged())) {
        return TokenState::unreadable;
    }
    if (!has_set) {
        return TokenState::none;
    }
    if (!facts.sets.issuer_fault(*facts.sets.present()).empty()) {
        return TokenState::other_service;
    }
    if (machine.failed_commits() > 0) {
        return TokenState::unstored;
    }
    if (facts.sets.is_moved_out()) {
        return TokenState::moved;
    }
    if (machine.is_copied()) {
        return TokenState::copied;
    }
    switch (machine.standing()) {
    case Standing::lost: return TokenState::lost;
    case Standing::foreign: return TokenState::foreign;
    case Standing::configuration: return TokenState::configuration;
    case Standing::in_doubt:
        if (facts.sets.wrong_library().empty()) {
            return facts.blockage.holds(facts) ? TokenState::blocked : TokenState::in_doubt;
        }
        break;
    case Standing::good: break;
    }
    return working_state_of(facts);
}

TokenStatus describe(const TokenFacts& facts)
{
    TokenStatus status;
    status.state = state_of(facts);
    status.since = since_of(facts, status.state);
    status.needs_person = needs_person(status.state) || facts.machine.needs_look(facts.now);
    status.access_usable = facts.access_is_usable();
    status.journals = {facts.journals.copies, facts.journals.trouble, facts.journals.repair,
                       facts.sets.present() ? facts.sets.present()->generation : 0, facts.sets.candidate().has_value()};
    status.clock_trouble = facts.clock_trouble;
    status.failed_login = facts.failed_login;
    status.exchanges = facts.exchanges;
    status.last_byte_to_durable = facts.last_landing;
    status.library_id = facts.library_id;
    const auto& set = facts.sets.present();
    const auto& pinned = facts.sets.pinned_library();
    status.library_verified = facts.names_library && !pinned.empty() && pinned == facts.library_id && set &&
                              set->origin != Origin::untried && !facts.sets.is_unproven();
    status.learned = facts.machine.learned();
    if (facts.sets.has_set()) {
        describe_set(status, facts);
    }
    if (const auto wake = facts.machine.rest_now().until) {
        status.next_refresh = facts.moments.at(std::max(*wake, facts.now)).wall;
    }
    const auto ends = status.needs_person || status.state == TokenState::ends;
    // Rows of another library are not published at all.
    if (ends && status.access_usable && status.state != TokenState::wrong_library) {
        status.deadline = status.expires;
    }
    if (facts.machine.why() == Why::unreachable) {
        status.unreachable = facts.standing.source();
    }
    add_sentences(status, facts);
    return status;
}

Error why_not(const TokenFacts& facts)
{
    const auto known = describe(facts);
    const auto why = facts.machine.why();
    const auto text = fmt::format("{}: {}{}{}", facts.library,
                                  known.reason.empty() ? sentence(why, facts.standing.trouble()) : known.reason,
                                  known.do_this.empty() ? "" : "; ", known.do_this);
    const auto is_stuck = needs_person(known.state) || facts.machine.needs_look(facts.now) || facts.sets.candidate();
    const auto kind = known.state == TokenState::unstored ? ErrorKind::storage
                      : is_stuck                          ? ErrorKind::needs_person
                                                          : kind_of(why);
    Error error(kind, text);
    const bool was_cut_off = why == Why::unreachable || why == Why::not_sent;
    if (kind == ErrorKind::network && was_cut_off && is_of_network(facts.standing.source())) {
        error.source = facts.standing.source();
    } else if (kind == ErrorKind::network) {
        error.delivery = Delivery::answered;
    }
    if (facts.rest_until && kind != ErrorKind::needs_person) {
        const auto left = std::max(*facts.rest_until - facts.now, Duration(0));
        error.retry_after = std::chrono::duration_cast<std::chrono::milliseconds>(left);
    }
    return error;
}

}  // namespace shelfd::oauth
