#include "oauth/keeper/next_set.hpp"

namespace shelfd::oauth {
namespace {

TokenSet set_of_answer(RefreshMachine::ActionKind kind, const NextSetFacts& facts)
{
    const auto& present = *facts.sets.present();
    const auto& answer = facts.answer;
    const auto is_rest = kind == RefreshMachine::ActionKind::commit_rest;
    auto next = present.clone();
    // A service that answers a replay returns the set it issued before, with a lifetime that looks new.
    const auto& doubt = facts.machine.doubt();
    const auto& sent = facts.machine.pending_doubt().last_sent;
    next.issued = facts.moments.at(doubt.open && doubt.committed ? doubt.since : sent);
    next.access = answer.access.clone();
    next.lifetime = lifetime_of(facts);
    next.token_type = answer.token_type.empty() ? present.token_type : answer.token_type;
    next.scope = answer.scope.empty() ? present.scope : answer.scope;
    const auto is_unproven =
        facts.is_doubtful || present.origin == Origin::untried || present.origin == Origin::unproven;
    next.remark_at.reset();
    next.remark.clear();
    next.origin = is_rest ? Origin::rest_of_answer : is_unproven ? Origin::unproven : Origin::rotated;
    if (is_rest) {
        next.refresh = Secret();
    } else if (!answer.refresh.empty()) {
        next.refresh = answer.refresh.clone();
    }
    return next;
}

}  // namespace

TokenSet next_set(RefreshMachine::ActionKind kind, const NextSetFacts& facts)
{
    const auto is_restored = kind == RefreshMachine::ActionKind::restore_kept;
    auto next = is_restored ? facts.sets.kept()->clone() : set_of_answer(kind, facts);
    next.generation = facts.sets.present()->generation + 1;
    next.origin = is_restored ? Origin::restored : next.origin;
    if (is_restored) {
        next.remark_at = facts.wall;
        next.remark = facts.given_up;
    }
    // A doubtful set keeps the one that it replaces, unless that one keeps an older one that was proven.
    const bool keeps_present = facts.is_doubtful && !facts.sets.kept() && !is_restored;
    const auto keep = keeps_present ? facts.sets.present()->generation : next.keep;
    next.keep = next.origin == Origin::unproven ? keep : 0;
    next.learned = facts.machine.learned();
    const auto& rate = facts.machine.rate();
    next.pace = {facts.moments.at(rate.day_start).wall, rate.day_count, rate.hurried};
    return next;
}

Duration lifetime_of(const NextSetFacts& facts)
{
    constexpr Duration odd = std::chrono::minutes(1);
    const auto before = facts.sets.present()->lifetime;
    const auto said = facts.answer.lifetime.value_or(before);
    const auto age = facts.now - facts.machine.holding().issued;
    const auto died_early = facts.machine.access_is_dead() && age < before / 10;
    return said < odd && before >= odd && !died_early ? before : said;
}

}  // namespace shelfd::oauth
