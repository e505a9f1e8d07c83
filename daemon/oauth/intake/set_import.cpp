#include "oauth/intake/set_import.hpp"

#include "oauth/exchange/introspection.hpp"
#include "oauth/intake/import_outcome.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace shelfd::oauth {

Result<void> SetImport::check_issuer(const Provenance& from) const
{
    const auto& endpoint = parts_.settings.endpoint;
    const auto fault = [](const char* what, const std::string& theirs, const std::string& ours) {
        return Error(ErrorKind::usage,
                     fmt::format("this set was issued {} {}, but the configuration says {}; nothing was changed", what,
                                 theirs, ours));
    };
    if (from.service != endpoint.base_url) {
        return fault("by", from.service, endpoint.base_url);
    }
    if (from.client_id != endpoint.client_id) {
        return fault("to the application", from.client_id, endpoint.client_id);
    }
    return {};
}

Result<void> SetImport::check_shared(const Secret& refresh) const
{
    const auto& other_holder = parts_.settings.other_holder;
    const auto holder = other_holder && !refresh.empty() ? other_holder(fingerprint(refresh)) : std::string();
    if (holder.empty()) {
        return {};
    }
    return Error(
        ErrorKind::usage,
        fmt::format(
            "this set belongs to library {} here: each library needs its own set, because a refresh token works once",
            holder));
}

// A set with a refresh token is replaced by an access token only if a person wants it.
Result<void> SetImport::check_destruction(const ImportOrder& order) const
{
    const auto standing = parts_.machine.standing();
    const auto is_dead = standing == Standing::foreign || standing == Standing::lost || parts_.sets.is_moved_out();
    const auto& present = parts_.sets.present();
    if (!present || present->refresh.empty() || is_dead || order.destroying == Destroying::wanted) {
        return {};
    }
    return Error(
        ErrorKind::usage,
        fmt::format(
            "{} has a set with a refresh token, which this would destroy for an access token that expires; nothing was "
            "changed. Omit --access-only to replace the set with one that can be refreshed; --force destroys it",
            parts_.settings.library));
}

Result<void> SetImport::check(const ImportedSet& set, const ImportOrder& order) const
{
    SHELFD_TRY(change_.check());
    if (order.mode == ImportMode::access_only) {
        return check_destruction(order);
    }
    if (set.refresh.empty()) {
        return Error(ErrorKind::usage, "this set has no refresh_token, so it cannot be refreshed; ask the owner for "
                                       "the complete set, or add --access-only to use it until it expires");
    }
    SHELFD_TRY(check_shared(set.refresh));
    const auto& present = parts_.sets.present();
    if (present && set.refresh.equals(present->refresh) && parts_.machine.can_refresh()) {
        return Error(ErrorKind::usage, fmt::format("{} already has this set (generation {})", parts_.settings.library,
                                                   present->generation));
    }
    return {};
}

// The access token has expired (they live for a week), so only a refresh can identify the library. A refresh spends the
// refresh token, so the document's content must be sufficient evidence.
Result<void> SetImport::check_untried(const Provenance& from) const
{
    const auto& library = parts_.settings.library;
    if (parts_.machine.can_refresh()) {
        return Error(
            ErrorKind::usage,
            fmt::format("nothing was changed: {0} has a set that can be refreshed, and the access token of the given "
                        "one does not work. If you have moved this set in before, it arrived, and there is "
                        "nothing to do: do not take it back on the source machine, because its refresh token was used "
                        "here. If not, `shelfctl auth adopt {1}` on the source machine takes it back; or, to destroy "
                        "the set here first: shelfctl auth forget {0}",
                        library, from.library));
    }
    const auto refuse = [&from](const std::string& why) {
        return Error(
            ErrorKind::usage,
            fmt::format("the access token of this set has expired, so its library can be checked only after a refresh, "
                        "and {}; nothing was changed; on the source machine, `shelfctl auth adopt {}` takes it back",
                        why, from.library));
    };
    const auto ours = parts_.canary.spec().library_id;
    if (!ours.empty() && !from.library_id.empty() && ours != from.library_id) {
        return refuse(fmt::format("it belongs to library {}, expected {}", from.library_id, ours));
    }
    if (parts_.canary.names_library() && from.library_id.empty() && from.library != library) {
        return refuse(fmt::format("the document does not say which library of the service it belongs to, only its name "
                                  "on the other machine, {}",
                                  from.library));
    }
    return {};
}

// Whoever types the command again because the connection broke gives a set that is sealed, so it no longer works.
Result<void> SetImport::check_answer(const CanaryReading& reading) const
{
    auto checked = check_reading(reading);
    if (checked || !refuses(reading.answer) || !parts_.machine.can_refresh()) {
        return checked;
    }
    return Error(checked.error().kind(),
                 fmt::format("the access token in this set does not work ({0}), and {1} has a token set here: if this "
                             "one was imported before, it arrived and was sealed, and there is nothing to do (shelfctl "
                             "auth status {1}); otherwise ask the owner for another set; nothing was changed",
                             reading.text, parts_.settings.library));
}

asio::awaitable<Result<ImportOutcome>> SetImport::run(ImportedSet set, ImportOrder order)
{
    const auto mode = order.mode;
    SHELFD_CO_TRY(check(set, order));
    // Until the set is in force or refused.
    HeldSets::Incoming incoming(parts_.sets, mode == ImportMode::access_only ? "" : fingerprint(set.refresh));
    const auto asked_at = parts_.services.clock.boot_now();
    const auto reading = co_await parts_.canary.ask(set.access.clone());
    const bool is_untried = order.moved && refuses(reading.answer);
    auto user = reading.user;
    if (is_untried) {
        SHELFD_CO_TRY(check_untried(*order.moved));
    } else {
        SHELFD_CO_TRY(check_answer(reading));
        SHELFD_CO_TRY(order.destroying == Destroying::wanted ? Result<void>()
                                                             : change_.check_owner(reading.library_id));
        incoming.identified(asked_at);
        SHELFD_CO_TRY_ASSIGN(said, co_await learn_about(set, mode));
        user = user.empty() ? said : user;
    }
    const auto given = set.refresh.clone();
    auto next = imported_set(std::move(set), mode);
    next.from_login = order.moved && order.moved->from_login;
    next.library_id = reading.library_id.empty() ? parts_.canary.spec().library_id : reading.library_id;
    if (is_untried) {
        next.origin = Origin::untried;
        next.library_id = next.library_id.empty() ? order.moved->library_id : next.library_id;
    }
    auto kept = mode == ImportMode::access_only ? std::nullopt : change_.keep_for(next);
    auto replacing = change_.replace(std::move(next), std::move(kept));
    const auto trouble = co_await std::move(replacing);
    if (!trouble.empty()) {
        co_return Error(ErrorKind::storage, "the set could not be stored, and the previous one stays in use (until a "
                                            "disk works again, a restart may find the new one): " +
                                                trouble);
    }
    if (is_untried) {
        co_return co_await proof_.refresh_untried(mode, given);
    }
    if (mode == ImportMode::seal) {
        co_await parts_.rotate();
    }
    // Last: who hears of it may open the library again.
    parts_.sets.record_user(std::move(user));
    co_return import_outcome(parts_.facts(), mode, given, reading);
}

// Returns the set as it becomes TOKEN g+1; the caller sets the library.
TokenSet SetImport::imported_set(ImportedSet set, ImportMode mode) const
{
    auto next = parts_.sets.new_set();
    next.access = std::move(set.access);
    next.lifetime = set.lifetime.value_or(assumed_lifetime);
    next.token_type = std::move(set.token_type);
    next.scope = std::move(set.scope);
    next.issued = parts_.moments.now();
    next.learned = parts_.machine.learned();
    next.origin = mode == ImportMode::seal          ? Origin::pasted
                  : mode == ImportMode::leave_alone ? Origin::left_alone
                                                    : Origin::access_only;
    if (mode != ImportMode::access_only) {
        next.refresh = std::move(set.refresh);
    }
    return next;
}

// The lifetime of a pasted set counts from an unknown time, and its scope is often missing. The service may know both,
// or that the set is of no use, before a token is spent. Returns the user; "" = unknown.
asio::awaitable<Result<std::string>> SetImport::learn_about(ImportedSet& set, ImportMode mode)
{
    auto asking = introspect(parts_.settings, parts_.services, parts_.exchange, set.access.clone());
    const auto found = co_await std::move(asking);
    if (!found) {
        co_return std::string();
    }
    if (!found->active) {
        // Some services report every token as inactive whose state they do not disclose. A canary that refuses wrong
        // tokens and has just accepted this one is better evidence.
        const auto wrong = co_await parts_.canary.ask(Secret(std::string(wrong_token)));
        if (accepts(wrong.answer)) {
            co_return Error(ErrorKind::needs_person,
                            "the service says that the access token in this set is not active: it has "
                            "expired or was revoked; ask the owner for a new set; nothing was changed");
        }
        co_return std::string();
    }
    const auto& ours = parts_.settings.endpoint.client_id;
    if (mode != ImportMode::access_only && !found->client_id.empty() && found->client_id != ours) {
        co_return Error(ErrorKind::needs_person,
                        fmt::format("this set was issued to the application {}, but the configuration says {}, which "
                                    "could not refresh it; nothing was changed",
                                    found->client_id, ours));
    }
    if (found->expires) {
        const auto left = *found->expires - found->said_at.value_or(parts_.services.clock.now());
        set.lifetime = std::clamp<Duration>(left, std::chrono::seconds(1), max_lifetime);
    }
    set.scope = found->scope.empty() ? set.scope : found->scope;
    co_return found->user;
}

}  // namespace shelfd::oauth
