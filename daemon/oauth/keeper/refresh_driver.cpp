#include "oauth/keeper/refresh_driver.hpp"

#include "oauth/keeper/refresh_turn.hpp"

#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/core.h>

namespace shelfd::oauth {

RefreshDriver::Event RefreshDriver::make_event(EventKind kind) const
{
    Event event;
    event.kind = kind;
    event.now = parts_.services.clock.boot_now();
    return event;
}

asio::awaitable<RefreshDriver::Action> RefreshDriver::drive(Action action)
{
    auto& machine = parts_.machine;
    while (action.kind != RefreshMachine::ActionKind::rest) {
        if (machine.is_exchanging()) {
            // A separate coroutine ignores a cancellation that this one has already received.
            auto stretch = drive_shielded(action);
            action = co_await asio::co_spawn(parts_.services.executor, std::move(stretch), asio::use_awaitable);
        } else {
            const auto event = co_await perform(action);
            action = machine.resume(event);
        }
        parts_.changed();
    }
    parts_.exchange.let_go();
    if (std::exchange(secret_is_new_, false)) {
        machine.secret_changed(parts_.services.clock.boot_now());
    }
    co_return action;
}

asio::awaitable<RefreshDriver::Action> RefreshDriver::drive_shielded(Action action)
{
    co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
    while (parts_.machine.is_exchanging()) {
        const auto event = co_await perform(action);
        action = parts_.machine.resume(event);
        parts_.changed();
    }
    co_return action;
}

asio::awaitable<RefreshDriver::Event> RefreshDriver::perform(Action action)
{
    using Kind = RefreshMachine::ActionKind;
    switch (action.kind) {
    case Kind::ask_canary:
    case Kind::ask_wrong_token:
    case Kind::ask_old_token: co_return co_await ask_canary(action.kind);
    case Kind::ask_refuser: co_return co_await ask_refuser();
    case Kind::reread: co_return co_await reread();
    case Kind::probe_disk: co_return co_await probe_disk();
    case Kind::write_intent: co_return co_await write_intent();
    case Kind::exchange: co_return co_await exchange();
    case Kind::land: co_return co_await land();
    case Kind::commit:
    case Kind::commit_rest:
    case Kind::restore_kept: co_return co_await commit(action);
    case Kind::write_verdict: co_return co_await write_verdict();
    case Kind::rest: break;
    }
    std::abort();
}

bool RefreshDriver::read_secret_again()
{
    const auto waited = parts_.machine.secret_changed(parts_.services.clock.boot_now());
    secret_is_new_ = parts_.machine.state() != RefreshMachine::State::resting;
    return waited;
}

asio::awaitable<RefreshDriver::Event> RefreshDriver::ask_canary(RefreshMachine::ActionKind kind)
{
    std::optional<Secret> token;
    if (kind == RefreshMachine::ActionKind::ask_wrong_token) {
        token.emplace(std::string(wrong_token));
    } else if (kind == RefreshMachine::ActionKind::ask_old_token) {
        token.emplace(parts_.sets.old_access().clone());
    } else if (parts_.sets.access()) {
        token.emplace(parts_.sets.access()->clone());
    }
    const auto& doubt = parts_.machine.doubt();
    const bool is_pressing = doubt.open && doubt.replays == 0 && !doubt.alive;
    auto asking = is_pressing ? parts_.canary.ask_in_time(std::move(token)) : parts_.canary.ask(std::move(token));
    const auto reading = co_await std::move(asking);
    if (kind == RefreshMachine::ActionKind::ask_canary && parts_.sets.record_identity(reading)) {
        parts_.changed();
    }
    if (!proves_path(reading.answer)) {
        parts_.standing.set_trouble("the check of the token: " + reading.text, reading.source);
    }
    auto event = make_event(EventKind::canary);
    event.canary = reading.answer;
    co_return event;
}

// An address that refuses wrong tokens and accepted this generation tells what an unfit canary cannot.
asio::awaitable<RefreshDriver::Event> RefreshDriver::ask_refuser()
{
    auto event = make_event(EventKind::canary);
    const auto token = parts_.sets.access();
    if (!refuser_ || token == nullptr) {
        co_return event;
    }
    const auto to_wrong = co_await parts_.canary.ask_other(*refuser_, Secret(std::string(wrong_token)));
    if (refuses(to_wrong.answer)) {
        const auto to_ours = co_await parts_.canary.ask_other(*refuser_, token->clone());
        event.canary = to_ours.answer;
    }
    event.now = parts_.services.clock.boot_now();
    co_return event;
}

asio::awaitable<RefreshDriver::Event> RefreshDriver::reread()
{
    auto& sets = parts_.sets;
    std::optional<Result<Recovered>> known;
    auto work = [&known](JournalPair& pair) { known.emplace(pair.scan()); };
    co_await parts_.journals.run(work);
    auto event = make_event(EventKind::compared);
    if (*known && (*known)->set && sets.present() && (*known)->set->generation > sets.present()->generation) {
        sets.hold(std::move(*(*known)->set));
        event.newer = sets.holding_of(*sets.present(), parts_.moments);
    }
    const auto& store = parts_.journals.health().store;
    event.evidence = store.state == StoreState::copied || sets.is_behind_mirror();
    if (event.evidence) {
        parts_.standing.set_reason(store.state == StoreState::copied ? store.why : "");
    }
    co_return event;
}

asio::awaitable<RefreshDriver::Event> RefreshDriver::probe_disk()
{
    auto& machine = parts_.machine;
    auto taking = take_turn(parts_);
    if (!co_await std::move(taking)) {
        co_return make_event(EventKind::no_turn);
    }
    const auto note = machine.doubt().open ? std::optional<Note>(parts_.standing.present_note()) : std::nullopt;
    auto secret = co_await parts_.exchange.read_secret();
    const auto at = parts_.moments.now();
    auto work = [&](JournalPair& pair) {
        if (!secret) {
            return Written();
        }
        const auto& present = *parts_.sets.present();
        pair.mend(present, note, machine.attempt() - 1, at);
        return pair.open_raw(present.generation, machine.attempt(), at);
    };
    const auto written = co_await parts_.journals.write(work);
    if (!secret) {
        parts_.standing.set_trouble(secret.error().text());
        co_return make_event(EventKind::no_secret);
    }
    parts_.exchange.keep_secret(std::move(*secret));
    // A token that died early was rotated; a copy that could not be read may have the new set.
    const auto& unread = parts_.journals.health().unread;
    const auto died_early = machine.access_is_dead() && parts_.services.clock.boot_now() < machine.expires();
    const auto is_outdated = parts_.journals.pair().found_newer() || (!unread.empty() && died_early);
    if (is_outdated) {
        parts_.standing.set_trouble("a copy that was not read yet may have a newer set: " + unread);
    } else if (!written.trouble.empty()) {
        parts_.standing.set_trouble(written.trouble);
    }
    parts_.journals.warn_of(written);
    auto event = make_event(EventKind::disk);
    event.copies = is_outdated ? 0 : written.copies;
    co_return event;
}

asio::awaitable<RefreshDriver::Event> RefreshDriver::write_intent()
{
    auto note = parts_.standing.note_of(parts_.machine.pending_doubt(), Standing::in_doubt);
    note.since = parts_.services.clock.now();
    note.reason = "the daemon ended during a refresh";
    auto writing = parts_.journals.write_note(RecordKind::intent, std::move(note));
    const auto written = co_await std::move(writing);
    if (written.copies == 0) {
        parts_.standing.set_trouble(written.trouble);
    }
    auto event = make_event(EventKind::written);
    event.copies = written.copies;
    co_return event;
}

asio::awaitable<RefreshDriver::Event> RefreshDriver::exchange()
{
    const auto sent = co_await parts_.exchange.refresh(parts_.sets.present()->refresh);
    co_return make_event(sent == Exchange::Sending::not_sent ? EventKind::not_sent : EventKind::ended);
}

asio::awaitable<RefreshDriver::Event> RefreshDriver::land()
{
    co_await parts_.exchange.land();
    const auto& tokens = parts_.exchange.landed().tokens;
    if (tokens.lifetime && lifetime_of(next_set_facts(tokens)) != *tokens.lifetime) {
        parts_.services.log.warning("the service says that its new access token expires in less than a minute; the "
                                    "lifetime of the last one is used until a token expires that early",
                                    {{"library", parts_.settings.library},
                                     {"said", describe_duration(*tokens.lifetime)},
                                     {"taken", describe_duration(parts_.sets.present()->lifetime)}});
    }
    co_return landed_event();
}

RefreshDriver::Event RefreshDriver::landed_event() const
{
    const auto& landed = parts_.exchange.landed();
    auto event = make_event(EventKind::landed);
    event.answer = landed.answer;
    event.ambiguity = landed.ambiguity;
    event.access_survived = !landed.tokens.access.empty();
    event.retry_after = landed.retry_after;
    const auto& refresh = landed.tokens.refresh;
    event.rotated = !refresh.empty() && !refresh.equals(parts_.sets.present()->refresh);
    return event;
}

NextSetFacts RefreshDriver::next_set_facts(const TokenAnswer& answer) const
{
    const auto& landed = parts_.exchange.landed();
    const bool is_doubtful = &answer == &landed.tokens && landed.is_doubtful;
    auto& clock = parts_.services.clock;
    return {parts_.sets,      parts_.machine, parts_.moments,  answer,
            clock.boot_now(), clock.now(),    given_up_text(), is_doubtful};
}

// Why the newest set is given up for the older one.
std::string RefreshDriver::given_up_text() const
{
    const auto& reason = parts_.exchange.landed().reason;
    return fmt::format("the service refused the newest token set ({}), and the one before it is in use again",
                       reason.empty() ? "without a reason" : reason);
}

asio::awaitable<RefreshDriver::Event> RefreshDriver::commit(Action action)
{
    if (action.until) {
        co_await parts_.services.clock.sleep_until(*action.until);
    }
    auto& sets = parts_.sets;
    const TokenAnswer none;
    const auto& survivor = parts_.exchange.survivor();
    const auto is_rest = action.kind == RefreshMachine::ActionKind::commit_rest;
    const auto& answer = !is_rest ? parts_.exchange.landed().tokens : survivor ? *survivor : none;
    auto next = next_set(action.kind, next_set_facts(answer));
    // Whose set it was found to be; what is configured says only whose it should be.
    const auto& pinned = sets.pinned_library();
    next.library_id = pinned.empty() ? parts_.canary.spec().library_id : pinned;
    const auto at = parts_.moments.now();
    bool in_refuge = false;
    auto work = [&](JournalPair& pair) {
        pair.reopen();
        auto written = pair.write_token(next, at);
        in_refuge = written.copies == 0 && pair.write_refuge(next, at);
        return written;
    };
    const auto written = co_await parts_.journals.write(work);
    if (written.fit == Fit::too_large) {
        co_return give_up_answer(action.kind, written);
    }
    auto event = make_event(EventKind::committed);
    event.copies = written.copies;
    parts_.standing.set_trouble(written.trouble);
    if (written.copies == 0) {
        parts_.services.log.error("a new token set is in memory only: no disk accepts it; do not stop the daemon; free "
                                  "space, or repair a disk",
                                  {{"library", parts_.settings.library},
                                   {"reason", written.trouble},
                                   {"survives", in_refuge ? "the end of the daemon, not of the machine" : "nothing"}});
        co_return event;
    }
    parts_.journals.warn_of(written);
    if (next.origin != Origin::unproven) {
        sets.drop_kept();
    } else if (next.keep == sets.present()->generation) {
        sets.keep_present();
    }
    sets.hold(std::move(next));
    event.holding = sets.holding_of(*sets.present(), parts_.moments);
    parts_.standing.begin(Standing::good);
    parts_.exchange.drop_survivor();
    log_commit(action.kind);
    co_return event;
}

// Retries would never succeed, and would block every stop. The access token alone may fit.
RefreshDriver::Event RefreshDriver::give_up_answer(RefreshMachine::ActionKind kind, const Written& written)
{
    auto event = make_event(EventKind::unstorable);
    event.copies = written.copies;
    event.access_survived = kind == RefreshMachine::ActionKind::commit;
    parts_.exchange.give_up_answer(event.access_survived ? Exchange::Salvage::access_token : Exchange::Salvage::nothing,
                                   written.trouble);
    return event;
}

asio::awaitable<RefreshDriver::Event> RefreshDriver::write_verdict()
{
    const auto& machine = parts_.machine;
    if (machine.why() != Why::not_sent) {
        const auto& store = parts_.journals.health().store;
        const auto& landed = parts_.exchange.landed();
        const bool has_other = landed.answer == AnswerClass::denied && landed.ambiguity == Ambiguity::unread_set;
        const bool is_late =
            has_other || (machine.standing() == Standing::lost && machine.pending_doubt().unreadable > 0);
        if (machine.why() != Why::copied && is_late) {
            parts_.standing.set_reason_after_unread_answer(landed.reason);
        } else {
            parts_.standing.set_reason(machine.why() == Why::copied ? store.why : landed.reason);
        }
        parts_.standing.change(machine.standing());
        log_verdict();
    }
    const auto& doubt = machine.doubt().open ? machine.doubt() : machine.pending_doubt();
    auto note = parts_.standing.note_of(doubt, machine.standing());
    auto writing = parts_.journals.write_note(RecordKind::verdict, std::move(note));
    const auto written = co_await std::move(writing);
    auto event = make_event(EventKind::written);
    event.copies = written.copies;
    co_return event;
}

}  // namespace shelfd::oauth
