// What a person asks for: another set, or none at all.
#include "oauth/keeper/token_keeper.hpp"

#include <fmt/format.h>

namespace shelfd::oauth {

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

std::optional<Error> TokenKeeper::refuse_import(const ImportedSet& set, const ImportOrder& order) const
{
    if (auto refusal = refuse_change()) {
        return refusal;
    }
    if (order.mode == ImportMode::access_only) {
        const auto standing = machine_.standing();
        const auto is_dead = standing == Standing::foreign || standing == Standing::lost || is_moved_out();
        if (set_ && !set_->refresh.empty() && !is_dead && order.destroying == Destroying::refused) {
            return Error(ErrorKind::usage,
                         fmt::format("{} holds a set with a refresh token, which this would destroy for an access "
                                     "token that ends; nothing was changed. Without --access-only the set is replaced "
                                     "by one that renews itself; with --force it is destroyed",
                                     settings_.library));
        }
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

asio::awaitable<Result<ImportOutcome>> TokenKeeper::run_import(ImportedSet set, ImportOrder order)
{
    const auto mode = order.mode;
    if (auto refusal = refuse_import(set, order)) {
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
    const bool is_untried = order.moved && refuses(reading.answer);
    if (auto refusal = is_untried ? refuse_untried(*order.moved) : refusal_of(reading)) {
        co_return std::move(*refusal);
    }
    if (!is_untried) {
        if (auto refusal = co_await learn_about(set, mode)) {
            co_return std::move(*refusal);
        }
    }
    const auto given = set.refresh.clone();
    auto next = imported_set(std::move(set), mode);
    next.from_login = order.moved && order.moved->from_login;
    next.library_id = reading.library_id.empty() ? canary_spec().library_id : reading.library_id;
    if (is_untried) {
        next.origin = Origin::untried;
        next.library_id = next.library_id.empty() ? order.moved->library_id : next.library_id;
    }
    auto kept = mode == ImportMode::access_only ? std::nullopt : keep_for(next);
    auto replacing = replace_set(std::move(next), std::move(kept));
    const auto replaced = co_await std::move(replacing);
    if (!replaced.empty()) {
        co_return Error(ErrorKind::storage,
                        "the set could not be stored, and the one before stays in force (until a disk works "
                        "again, a restart may find the new one all the same): " +
                            replaced);
    }
    if (is_untried) {
        co_return co_await refresh_untried(mode, given);
    }
    if (mode == ImportMode::seal) {
        co_await drive(machine_.resume(make_event(EventKind::seal)));
    }
    co_return import_outcome(mode, given);
}

// As it becomes TOKEN g+1; whose it is, is for the caller to say.
TokenSet TokenKeeper::imported_set(ImportedSet set, ImportMode mode) const
{
    TokenSet next;
    next.generation = std::max(set_ ? set_->generation : 0, mirror_generation_) + 1;
    next.access = std::move(set.access);
    next.lifetime = set.lifetime.value_or(assumed_lifetime);
    next.token_type = std::move(set.token_type);
    next.scope = std::move(set.scope);
    next.issued = now();
    next.service = settings_.endpoint.base_url;
    next.client_id = settings_.endpoint.client_id;
    next.learned = machine_.learned();
    next.origin = mode == ImportMode::seal          ? Origin::pasted
                  : mode == ImportMode::leave_alone ? Origin::left_alone
                                                    : Origin::access_only;
    if (mode != ImportMode::access_only) {
        next.refresh = std::move(set.refresh);
    }
    return next;
}

// RFC 7662, and only at a path that the configuration names: token and client secret go nowhere else. Nothing where the
// service refuses it or is silent: it is a help, not a condition.
asio::awaitable<std::optional<Introspection>> TokenKeeper::introspect(const Secret& access)
{
    if (settings_.endpoint.introspection_path.empty()) {
        co_return std::nullopt;
    }
    const auto secret = co_await read_secret();
    if (!secret) {
        co_return std::nullopt;
    }
    auto request = make_introspection_request(settings_.endpoint, access, *secret);
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
        const auto left = *found->expires - found->said_at.value_or(services_.clock.now());
        set.lifetime = std::clamp<Duration>(left, std::chrono::seconds(1), max_lifetime);
    }
    set.scope = found->scope.empty() ? set.scope : found->scope;
    co_return std::nullopt;
}

Result<ImportOutcome> TokenKeeper::import_outcome(ImportMode mode, const Secret& given) const
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
    const bool is_refreshed = set_->origin == Origin::rotated;
    ImportOutcome outcome;
    outcome.generation = set_->generation;
    outcome.sealed = mode == ImportMode::seal && is_refreshed && !set_->refresh.equals(given);
    outcome.library_id = set_->library_id;
    outcome.scope = set_->scope;
    outcome.expires = known.expires;
    outcome.text = import_text(mode, outcome);
    return outcome;
}

std::string TokenKeeper::import_text(ImportMode mode, const ImportOutcome& outcome) const
{
    if (set_->origin == Origin::granted) {
        return "the set is in force; nobody else has ever seen it, so it needs no sealing";
    }
    if (outcome.sealed) {
        return "the set is in force and sealed: what was pasted is dead";
    }
    if (set_->origin == Origin::untried) {
        return "the set is in force, but its access token has ended, and no new one came yet: " + why_not().text();
    }
    const bool is_refreshed = set_->origin == Origin::rotated;
    if (mode == ImportMode::seal && is_refreshed) {
        return "the set is in force, but cannot be sealed: the service does not rotate refresh tokens, so whoever has "
               "what was pasted can still use it";
    }
    if (mode == ImportMode::seal) {
        return "the set is in force, but not sealed yet: " + why_not().text();
    }
    if (is_refreshed) {
        return "the set is in force; its access token had ended, and is new";
    }
    return mode == ImportMode::leave_alone ? "the set is in force as it was given"
                                           : "the access token is in force until it ends";
}

asio::awaitable<Result<void>> TokenKeeper::run_forget()
{
    if (!barred_.empty()) {
        co_return Error(ErrorKind::corrupt, barred_);
    }
    TokenSet nothing;
    nothing.generation = std::max(set_ ? set_->generation : 0, mirror_generation_) + 1;
    nothing.service = settings_.endpoint.base_url;
    nothing.client_id = settings_.endpoint.client_id;
    auto replacing = replace_set(std::move(nothing), std::nullopt);
    const auto replaced = co_await std::move(replacing);
    if (!replaced.empty()) {
        co_return Error(ErrorKind::storage,
                        "nothing was forgotten, and the set stays in force (until a disk works again, a restart may "
                        "find it forgotten all the same): " +
                            replaced);
    }
    old_access_ = Secret();
    std::string trouble;
    auto work = [this, &trouble] { trouble = pair_.wipe_all_but_newest().trouble; };
    co_await run_on_disk(work);
    if (!trouble.empty()) {
        co_return Error(ErrorKind::storage,
                        "the set is forgotten, but not every trace of it could be removed: " + trouble);
    }
    co_return Result<void>();
}

}  // namespace shelfd::oauth
