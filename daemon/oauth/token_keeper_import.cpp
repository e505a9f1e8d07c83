// What a person asks for: another set, a store declared to be the one in force, no set at all.
#include "oauth/token_keeper.hpp"

#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <fmt/format.h>

namespace shelfd::oauth {
namespace {

Error stopping()
{
    return Error(ErrorKind::stopped, "the daemon is stopping");
}

}  // namespace

asio::awaitable<Result<ImportOutcome>> TokenKeeper::import(ImportedSet set, ImportMode mode)
{
    const auto given = std::make_shared<ImportedSet>(std::move(set));
    const auto outcome = std::make_shared<std::optional<Result<ImportOutcome>>>();
    const auto command = std::make_shared<Command>();
    auto act = [](TokenKeeper* keeper, std::shared_ptr<ImportedSet> from, ImportMode how,
                  std::shared_ptr<std::optional<Result<ImportOutcome>>> into) -> asio::awaitable<void> {
        into->emplace(co_await keeper->take_import(std::move(*from), how));
    };
    command->act = [this, act, given, mode, outcome] { return act(this, given, mode, outcome); };
    if (!co_await done_by_run(command)) {
        co_return stopping();
    }
    co_return std::move(**outcome);
}

asio::awaitable<Result<void>> TokenKeeper::adopt()
{
    const auto outcome = std::make_shared<Result<void>>();
    const auto command = std::make_shared<Command>();
    auto act = [](TokenKeeper* keeper, std::shared_ptr<Result<void>> into) -> asio::awaitable<void> {
        *into = co_await keeper->take_adopt();
    };
    command->act = [this, act, outcome] { return act(this, outcome); };
    if (!co_await done_by_run(command)) {
        co_return stopping();
    }
    co_return std::move(*outcome);
}

asio::awaitable<Result<void>> TokenKeeper::forget()
{
    const auto outcome = std::make_shared<Result<void>>();
    const auto command = std::make_shared<Command>();
    auto act = [](TokenKeeper* keeper, std::shared_ptr<Result<void>> into) -> asio::awaitable<void> {
        *into = co_await keeper->take_forget();
    };
    command->act = [this, act, outcome] { return act(this, outcome); };
    if (!co_await done_by_run(command)) {
        co_return stopping();
    }
    co_return std::move(*outcome);
}

std::optional<Error> TokenKeeper::refuse_shared(const Secret& refresh) const
{
    const auto holder =
        settings_.other_holder && !refresh.empty() ? settings_.other_holder(fingerprint(refresh)) : std::string();
    if (holder.empty()) {
        return std::nullopt;
    }
    return Error(ErrorKind::usage,
                 fmt::format("this set is the one of library {}: each library needs a set of its own, or one will take "
                             "it from the other",
                             holder));
}

std::optional<Error> TokenKeeper::refuse_import(const ImportedSet& set, ImportMode mode) const
{
    if (!barred_.empty()) {
        return Error(ErrorKind::corrupt, barred_);
    }
    if (mode == ImportMode::access_only) {
        return std::nullopt;
    }
    if (set.refresh.empty()) {
        return Error(ErrorKind::usage,
                     "this set has no refresh_token, so it cannot be kept alive; ask the owner for the whole "
                     "set, or add --access-only to use it until it ends");
    }
    if (auto refusal = refuse_shared(set.refresh)) {
        return refusal;
    }
    if (set_ && set.refresh.equals(set_->refresh) && machine_.can_refresh()) {
        return Error(ErrorKind::usage, fmt::format("this is the set that {} holds already (generation {})",
                                                   settings_.library, set_->generation));
    }
    return std::nullopt;
}

asio::awaitable<Result<ImportOutcome>> TokenKeeper::take_import(ImportedSet set, ImportMode mode)
{
    if (auto refusal = refuse_import(set, mode)) {
        co_return std::move(*refusal);
    }
    // Until it is in force or refused: the same paste may be on its way into another library at this moment.
    struct Incoming {
        std::string& mark;
        ~Incoming() { mark.clear(); }
    };
    incoming_ = mode == ImportMode::access_only ? "" : fingerprint(set.refresh);
    const Incoming incoming{incoming_};
    const auto reading = co_await read_canary_with(set.access.clone());
    if (auto refusal = refusal_of(reading)) {
        co_return std::move(*refusal);
    }
    if (auto refusal = co_await learn_about(set, mode)) {
        co_return std::move(*refusal);
    }
    TokenSet next;
    next.generation = std::max(set_ ? set_->generation : 0, mirror_generation_) + 1;
    next.access = std::move(set.access);
    next.lifetime = set.lifetime.value_or(assumed_lifetime);
    next.token_type = std::move(set.token_type);
    next.scope = std::move(set.scope);
    next.issued = now();
    next.service = settings_.endpoint.base_url;
    next.client_id = settings_.endpoint.client_id;
    next.library_id = reading.library_id.empty() ? canary_spec().library_id : reading.library_id;
    next.learned = machine_.learned();
    next.origin = mode == ImportMode::seal          ? Origin::pasted
                  : mode == ImportMode::leave_alone ? Origin::left_alone
                                                    : Origin::access_only;
    if (mode != ImportMode::access_only) {
        next.refresh = std::move(set.refresh);
        next.keep = set_ && machine_.can_refresh() ? set_->generation : 0;
    }
    const auto generation = next.generation;
    // From here on the set is ours to keep: no cancellation until it is on disk.
    auto replacing = replace_set_shielded(std::move(next));
    const auto replaced = co_await asio::co_spawn(services_.executor, std::move(replacing), asio::use_awaitable);
    if (!replaced.empty()) {
        co_return Error(ErrorKind::storage, "the set could not be stored, and nothing was changed: " + replaced);
    }
    if (mode == ImportMode::seal) {
        co_await drive(machine_.resume(make_event(EventKind::seal)));
    }
    co_return import_outcome(mode, generation);
}

// RFC 7662. Nothing where the service has no such thing, refuses it or is silent: it is a help, not a condition.
asio::awaitable<std::optional<Introspection>> TokenKeeper::introspect(const Secret& access)
{
    std::optional<Result<Secret>> secret;
    const auto read_secret = settings_.client_secret;
    auto work = [&secret, &read_secret] { secret.emplace(read_secret()); };
    co_await services_.lane.run(work);
    if (!*secret) {
        co_return std::nullopt;
    }
    auto request = make_introspection_request(settings_.endpoint, access, **secret);
    request.timeouts = settings_.canary_timeouts;
    const auto outcome = co_await services_.client.send(std::move(request));
    co_return read_introspection(outcome);
}

// A paste tells how long it lives from a moment nobody knows, and often not its scope. The service may know, and may
// know that the set is of no use, before anything is spent.
asio::awaitable<std::optional<Error>> TokenKeeper::learn_about(ImportedSet& set, ImportMode mode)
{
    const auto found = co_await introspect(set.access);
    if (!found) {
        co_return std::nullopt;
    }
    if (!found->active) {
        // Some services say so of every token that they will not tell about. A canary that refuses wrong tokens, and
        // has just accepted this one, knows better.
        const auto wrong = co_await ask_canary(Machine::ActionKind::ask_wrong_token);
        co_return accepts(wrong.canary)
            ? std::optional<Error>(Error(ErrorKind::usage,
                                         "the service says that the access token in this set is not active: it has "
                                         "expired or was revoked; ask the owner for a new set; nothing was changed"))
            : std::nullopt;
    }
    if (mode != ImportMode::access_only && !found->client_id.empty() &&
        found->client_id != settings_.endpoint.client_id) {
        co_return Error(ErrorKind::usage,
                        fmt::format("this set was issued to the application {}, and the configuration says {}, which "
                                    "could not refresh it; nothing was changed",
                                    found->client_id, settings_.endpoint.client_id));
    }
    if (found->expires) {
        set.lifetime = std::max<Duration>(*found->expires - services_.clock.now(), std::chrono::seconds(1));
    }
    set.scope = found->scope.empty() ? set.scope : found->scope;
    co_return std::nullopt;
}

// The text of what went wrong; "" when the set is in force.
asio::awaitable<std::string> TokenKeeper::replace_set_shielded(TokenSet next)
{
    co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
    const auto at = now();
    Written written;
    auto work = [&] {
        pair_.reopen();
        written = pair_.write_token(next, at);
    };
    co_await run_on_disk(work);
    if (written.copies == 0) {
        co_return written.trouble;
    }
    warn_of(written);
    kept_ = next.keep != 0 && set_ ? std::optional<TokenSet>(set_->clone()) : std::nullopt;
    hold(std::move(next));
    copied_.clear();
    damaged_.clear();
    candidate_.reset();
    login_is_open_ = false;
    mirror_generation_ = 0;
    trouble_ = written.trouble;
    reason_.clear();
    survivor_ = {};
    standing_since_ = services_.clock.now();
    noted_standing_ = Standing::good;
    machine_.begin(start_of(*set_));
    if (set_->origin != Origin::none) {
        services_.log.info("another token set is in force",
                           {{"library", settings_.library}, {"generation", std::to_string(set_->generation)}});
    }
    announce();
    co_return "";
}

Result<ImportOutcome> TokenKeeper::import_outcome(ImportMode mode, std::uint64_t pasted_generation) const
{
    const auto known = status();
    if (set_->origin == Origin::restored) {
        return Error(ErrorKind::usage,
                     "the service refuses this refresh token: it was used already, revoked, or issued to "
                     "another application (client_id); the set in force before is in force again");
    }
    if (machine_.standing() == Standing::foreign || machine_.standing() == Standing::lost) {
        return Error(ErrorKind::needs_person, known.reason + "; " + known.do_this);
    }
    ImportOutcome outcome;
    outcome.generation = set_->generation;
    outcome.sealed = mode == ImportMode::seal && set_->generation > pasted_generation;
    outcome.library_id = set_->library_id;
    outcome.scope = set_->scope;
    outcome.expires = known.expires;
    outcome.text = set_->origin == Origin::granted
                       ? "the set is in force; nobody else has ever seen it, so it needs no "
                         "sealing"
                   : outcome.sealed                  ? "the set is in force and sealed: what was pasted is dead"
                   : mode == ImportMode::seal        ? "the set is in force, but not sealed yet: " + why_not().text()
                   : mode == ImportMode::leave_alone ? "the set is in force as it was given"
                                                     : "the access token is in force until it ends";
    return outcome;
}

asio::awaitable<Result<void>> TokenKeeper::take_adopt()
{
    if (!set_ || (!machine_.is_copied() && !is_moved_out())) {
        co_return Error(ErrorKind::usage,
                        fmt::format("{} needs no adoption: its store is the one in force", settings_.library));
    }
    auto next = set_->clone();
    next.generation = std::max(set_->generation, mirror_generation_) + 1;
    next.origin = is_moved_out() ? Origin::restored : next.origin;
    next.moved_at.reset();
    next.moved_to.clear();
    const auto identity = pair_.identity();
    pair_.identify({identity.library, new_id(), identity.machine});
    auto replacing = replace_set_shielded(std::move(next));
    const auto trouble = co_await asio::co_spawn(services_.executor, std::move(replacing), asio::use_awaitable);
    if (!trouble.empty()) {
        pair_.identify(identity);
        co_return Error(ErrorKind::storage, "the adoption could not be stored: " + trouble);
    }
    co_return Result<void>();
}

asio::awaitable<Result<void>> TokenKeeper::take_forget()
{
    if (!barred_.empty()) {
        co_return Error(ErrorKind::corrupt, barred_);
    }
    TokenSet nothing;
    nothing.generation = std::max(set_ ? set_->generation : 0, mirror_generation_) + 1;
    nothing.service = settings_.endpoint.base_url;
    nothing.client_id = settings_.endpoint.client_id;
    auto replacing = replace_set_shielded(std::move(nothing));
    auto trouble = co_await asio::co_spawn(services_.executor, std::move(replacing), asio::use_awaitable);
    if (trouble.empty()) {
        old_access_ = Secret();
        auto work = [this, &trouble] { trouble = pair_.wipe_all_but_newest().trouble; };
        co_await run_on_disk(work);
    }
    if (!trouble.empty()) {
        co_return Error(ErrorKind::storage, "not every trace of the set could be removed: " + trouble);
    }
    co_return Result<void>();
}

}  // namespace shelfd::oauth
