#include "oauth/stored/recovery.hpp"

#include <fmt/format.h>

namespace shelfd::oauth {
namespace {

Doubt doubt_of(const Note& note, const Moments& moments)
{
    Doubt doubt;
    doubt.open = true;
    doubt.old_token_was_alive = note.access_was_alive;
    doubt.committed = note.committed;
    doubt.replays = note.replays;
    doubt.server_errors = note.server_errors;
    doubt.since = moments.past(note.first_sent);
    doubt.last_sent = moments.past(note.last_sent);
    return doubt;
}

// Restores facts about the ambiguous answer that a note does not contain.
void record_answer(Doubt& doubt, const ClassifiedAnswer& landed)
{
    const auto is_unclear = landed.answer == AnswerClass::unclear;
    const auto is_refusal = landed.ambiguity == Ambiguity::refusal;
    doubt.refusals = is_unclear && is_refusal ? 1 : 0;
    doubt.has_unread_set = is_unclear && landed.ambiguity == Ambiguity::unread_set;
    doubt.unreadable = doubt.has_unread_set || (is_unclear && landed.ambiguity == Ambiguity::unreadable) ? 1 : 0;
    doubt.throttled = landed.answer == AnswerClass::throttled && is_refusal && doubt.replays == 0;
}

}  // namespace

RefreshMachine::Start start_of(const StartFacts& facts)
{
    const auto& set = *facts.sets.present();
    RefreshMachine::Start start;
    start.holding = facts.sets.holding_of(set, facts.moments);
    start.learned = set.learned;
    if (start.learned.canary != facts.canary) {
        start.learned.canary_refuses.reset();
        start.learned.old_token_dies.reset();
        start.learned.canary = facts.canary;
    }
    start.rate.hurried = set.pace.hurried;
    start.rate.day_count = set.pace.day_count;
    start.rate.day_start = facts.moments.past({set.pace.day_start, BootTime(), Id{}});
    start.copied = facts.is_copied;
    start.random = facts.random;
    if (set.origin == Origin::rest_of_answer) {
        start.standing = Standing::lost;
    }
    return start;
}

Beginning recover(const Recovered& known, const StartFacts& facts)
{
    Beginning beginning;
    auto& start = beginning.start;
    start = start_of(facts);
    if (!known.note) {
        return beginning;
    }
    const auto& note = *known.note;
    start.standing = note.standing;
    start.doubt = doubt_of(note, facts.moments);
    start.told_to_wait = note.told_to_wait ? facts.moments.coming(*note.told_to_wait) : BootTime();
    start.last_sent = facts.moments.past(note.last_sent);
    const auto was_in_doubt = note.standing == Standing::in_doubt || note.earlier_doubt;
    if (note.code_sent) {
        start.doubt.open = was_in_doubt;
        return beginning;  // the attempt and the answer belong to the login
    }
    start.attempt = known.attempt;
    // The set counts the exchanges up to its own; those after it stand in the note.
    start.rate.count(start.last_sent, known.attempt);
    const auto& raw = known.raw;
    const auto presented = facts.sets.present()->refresh.reveal();
    beginning.landed =
        classify(raw ? Arrived{raw->status, raw->complete, raw->body.reveal(), Duration(0), presented} : Arrived());
    start.access_survived = !beginning.landed.tokens.access.empty();
    if (known.intent_open) {
        start.standing = Standing::good;
        beginning.must_land = true;
        beginning.earlier = note.earlier_doubt ? RefreshMachine::Earlier::doubt : RefreshMachine::Earlier::none;
        return beginning;
    }
    start.doubt.open = was_in_doubt;
    record_answer(start.doubt, beginning.landed);
    return beginning;
}

std::string mark_of(const CanarySpec& canary)
{
    return fingerprint(Secret(fmt::format("{}\n{}", canary.url, canary.identity_field)));
}

}  // namespace shelfd::oauth
