// One function for each action of the machine: does it, and tells what came of it. Decides nothing.
#include "oauth/keeper/token_keeper.hpp"

namespace shelfd::oauth {

TokenKeeper::Event TokenKeeper::make_event(EventKind kind) const
{
    Event event;
    event.kind = kind;
    event.now = services_.clock.boot_now();
    return event;
}

asio::awaitable<TokenKeeper::Event> TokenKeeper::perform(Action action)
{
    using Kind = Machine::ActionKind;
    switch (action.kind) {
    case Kind::ask_canary:
    case Kind::ask_wrong_token:
    case Kind::ask_old_token: co_return co_await ask_canary(action.kind);
    case Kind::reread: co_return co_await reread();
    case Kind::probe_disk: co_return co_await probe_disk();
    case Kind::write_intent: co_return co_await write_intent();
    case Kind::exchange: co_return co_await exchange();
    case Kind::land: co_return co_await finish_exchange();
    case Kind::commit:
    case Kind::commit_rest:
    case Kind::restore_kept: co_return co_await commit(action);
    case Kind::write_verdict: co_return co_await write_verdict();
    case Kind::rest: break;
    }
    std::abort();
}

asio::awaitable<TokenKeeper::Event> TokenKeeper::reread()
{
    std::optional<Result<Recovered>> known;
    auto work = [this, &known] { known.emplace(pair_.scan()); };
    co_await run_on_disk(work);
    auto event = make_event(EventKind::compared);
    if (*known && (*known)->set && set_ && (*known)->set->generation > set_->generation) {
        hold(std::move(*(*known)->set));
        event.newer = holding_of(*set_);
    }
    event.evidence = is_copied();
    reason_ = event.evidence ? copied_ : reason_;
    co_return event;
}

asio::awaitable<Result<Secret>> TokenKeeper::read_secret()
{
    std::optional<Result<Secret>> secret;
    const auto read = settings_.client_secret;  // settings may change meanwhile
    auto work = [&secret, &read] { secret.emplace(read()); };
    co_await services_.secret_lane.run(work);
    co_return std::move(*secret);
}

asio::awaitable<TokenKeeper::Event> TokenKeeper::probe_disk()
{
    // A replay at once has the turn of the exchange that it repeats: it waited for itself otherwise.
    if (services_.permit_exchange && !exchange_permit_) {
        exchange_permit_ = co_await services_.permit_exchange(machine_.haste(services_.clock.boot_now()));
        if (!exchange_permit_) {
            co_return make_event(EventKind::no_turn);
        }
    }
    const auto& doubt = machine_.doubt();
    const auto note = doubt.open ? std::optional<Note>(note_of(doubt, machine_.standing())) : std::nullopt;
    auto secret = co_await read_secret();
    const auto at = now();
    Written written;
    auto work = [&] {
        if (secret) {
            pair_.mend(*set_, note, machine_.attempt() - 1, at);
            written = pair_.open_raw(set_->generation, machine_.attempt(), at);
        }
    };
    co_await run_on_disk(work);
    auto event = make_event(secret ? EventKind::disk : EventKind::no_secret);
    // A token that died early was rotated, and a copy that nobody could read may hold what came of it.
    const auto died_early = machine_.access_is_dead() && services_.clock.boot_now() < machine_.expires();
    const auto is_outdated = pair_.found_newer() || (!unread_.empty() && died_early);
    event.copies = is_outdated ? 0 : written.copies;
    if (!secret) {
        trouble_ = secret.error().text();
    } else {
        client_secret_ = std::move(*secret);
        trouble_ = is_outdated               ? "a copy that was not read yet may hold a newer set: " + unread_
                   : written.trouble.empty() ? trouble_
                                             : written.trouble;
    }
    warn_of(written);
    co_return event;
}

asio::awaitable<TokenKeeper::Event> TokenKeeper::write_intent()
{
    auto note = note_of(machine_.pending_doubt(), Standing::in_doubt);
    note.since = services_.clock.now();
    note.reason = "the daemon ended while a refresh was under way";
    const auto at = now();
    Written written;
    auto work = [&] { written = pair_.write_note(RecordKind::intent, set_->generation, machine_.attempt(), note, at); };
    co_await run_on_disk(work);
    auto event = make_event(EventKind::written);
    event.copies = written.copies;
    trouble_ = written.copies == 0 ? written.trouble : trouble_;
    co_return event;
}

// What becomes TOKEN g+1.
TokenSet TokenKeeper::next_set(Machine::ActionKind kind) const
{
    auto next = kind == Machine::ActionKind::restore_kept ? kept_->clone() : set_->clone();
    next.generation = set_->generation + 1;
    next.keep = 0;
    next.learned = machine_.learned();
    next.pace = {moment_of(machine_.day_start()).wall, machine_.day_count(), machine_.hurried()};
    next.library_id = canary_spec().library_id;
    if (kind == Machine::ActionKind::restore_kept) {
        next.origin = Origin::restored;
        return next;
    }
    const auto is_rest = kind == Machine::ActionKind::commit_rest;
    const TokenAnswer none;
    const auto& answer = !is_rest ? landed_.tokens : survivor_ ? *survivor_ : none;
    // A service that answers a replay gives the set it made before, with a lifetime that looks fresh.
    const auto& doubt = machine_.doubt();
    next.issued = moment_of(doubt.open && doubt.committed ? doubt.since : machine_.pending_doubt().last_sent);
    next.access = answer.access.clone();
    next.lifetime = lifetime_of(answer);
    next.token_type = answer.token_type.empty() ? set_->token_type : answer.token_type;
    next.scope = answer.scope.empty() ? set_->scope : answer.scope;
    const auto is_unproven = !is_rest && (set_->origin == Origin::untried || set_->origin == Origin::unproven);
    next.origin = is_rest ? Origin::rest_of_answer : is_unproven ? Origin::unproven : Origin::rotated;
    next.keep = is_unproven ? set_->keep : 0;
    if (is_rest) {
        next.refresh = Secret();
    } else if (!answer.refresh.empty()) {
        next.refresh = answer.refresh.clone();
    }
    return next;
}

asio::awaitable<TokenKeeper::Event> TokenKeeper::commit(Action action)
{
    if (action.until) {
        co_await services_.clock.sleep_until(*action.until);
    }
    auto next = next_set(action.kind);
    const auto at = now();
    Written written;
    bool in_refuge = false;
    auto work = [&] {
        pair_.reopen();
        written = pair_.write_token(next, at);
        in_refuge = written.copies == 0 && pair_.write_refuge(next, at);
    };
    co_await run_on_disk(work);
    const auto fits = written.fit != Fit::too_large;
    auto event = make_event(fits ? EventKind::committed : EventKind::unstorable);
    event.copies = written.copies;
    if (!fits) {
        // Trying again would never end, and hold every stop. The access token may fit without the other one.
        event.access_survived = action.kind == Machine::ActionKind::commit;
        if (event.access_survived) {
            survivor_ = std::move(landed_.tokens);
        } else {
            survivor_.reset();
        }
        landed_.reason = written.trouble;
        co_return event;
    }
    if (written.copies == 0) {
        trouble_ = written.trouble;
        services_.log.error("a new token set is in memory only: no disk takes it; do not stop the daemon, make room",
                            {{"library", settings_.library},
                             {"reason", written.trouble},
                             {"survives", in_refuge ? "the end of the daemon, not that of the machine" : "nothing"}});
        co_return event;
    }
    warn_of(written);
    if (next.origin != Origin::unproven) {
        kept_.reset();
    }
    hold(std::move(next));
    event.holding = holding_of(*set_);
    standing_since_ = services_.clock.now();
    noted_standing_ = Standing::good;
    survivor_.reset();
    trouble_ = written.trouble;
    const auto was_rotated = action.kind == Machine::ActionKind::commit;
    services_.log.info(was_rotated ? "the token set was refreshed" : "another token set is in force",
                       {{"library", settings_.library},
                        {"generation", std::to_string(set_->generation)},
                        {"expires", (set_->issued.wall + set_->lifetime).to_short_text()},
                        {"last_byte_to_durable_us", std::to_string(last_landing_.value_or(Duration(0)).count())}});
    co_return event;
}

asio::awaitable<TokenKeeper::Event> TokenKeeper::write_verdict()
{
    if (machine_.why() != Why::not_sent) {
        reason_ = machine_.why() == Why::copied ? copied_ : landed_.reason;
        log_verdict();
    }
    const auto is_doubt = machine_.doubt().open;
    auto note = note_of(is_doubt ? machine_.doubt() : machine_.pending_doubt(), machine_.standing());
    const auto at = now();
    Written written;
    auto work = [&] {
        written = pair_.write_note(RecordKind::verdict, set_->generation, machine_.attempt(), note, at);
    };
    co_await run_on_disk(work);
    auto event = make_event(EventKind::written);
    event.copies = written.copies;
    co_return event;
}

void TokenKeeper::log_verdict()
{
    const auto standing = machine_.standing();
    const auto is_dead = standing == Standing::lost || standing == Standing::foreign;
    const auto is_unread = machine_.doubt().unreadable > 0;
    const auto level = is_dead || is_unread ? LogLevel::error : LogLevel::warning;
    if (std::exchange(noted_standing_, standing) != standing) {
        standing_since_ = services_.clock.now();
    }
    std::vector<LogField> fields = {{"library", settings_.library},
                                    {"generation", std::to_string(set_->generation)},
                                    {"attempt", std::to_string(machine_.attempt())},
                                    {"outcome", to_string(landed_.answer)},
                                    {"reason", reason_}};
    if (is_unread) {
        fields.push_back({"kept_in", store_.places});
    }
    services_.log.write(level, "a refresh did not give a new token set", fields);
}

}  // namespace shelfd::oauth
