#include "oauth/intake/set_handover.hpp"

#include "oauth/set/moved_set.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace shelfd::oauth {
namespace {

// A set that is marked may never have been printed: the daemon, shelfctl or what reads its output may have ended
// before. So the same command gives it out again, for as long as nobody takes it back.
Result<Secret> give_again(const KeeperParts& parts, std::string unwiped)
{
    const auto& library = parts.settings.library;
    const auto trouble = unwiped + parts.journals.health().trouble;
    if (!trouble.empty()) {
        return Error(ErrorKind::storage,
                     fmt::format("both copies of the journal must record the move before the set is printed, and one "
                                 "cannot ({}); see: shelfctl auth status {}",
                                 trouble, library));
    }
    auto& sets = parts.sets;
    sets.drop_kept();
    parts.services.log.warning("the token set that was moved away is given out again",
                               {{"library", library}, {"to", sets.present()->moved_to}});
    return write_moved_set(*sets.present(), library, parts.services.clock.now());
}

}  // namespace

Result<void> SetHandover::check_move_out() const
{
    const auto& library = parts_.settings.library;
    const auto& sets = parts_.sets;
    SHELFD_TRY(parts_.journals.health().check_bar());
    if (sets.is_moved_out()) {
        const auto& where = sets.present()->moved_to;
        return Error(ErrorKind::usage,
                     fmt::format("the set of {0} was moved already{1}; if it did not arrive: shelfctl auth move-out "
                                 "{0}{2} prints it again, shelfctl auth adopt {0} takes it back",
                                 library, where.empty() ? "" : ", to " + where, where.empty() ? "" : " --to " + where));
    }
    if (!sets.has_set() || sets.present()->refresh.empty()) {
        return Error(ErrorKind::usage, library + " has no set that another machine could use");
    }
    if (sets.candidate() || sets.is_unproven() || sets.present()->origin == Origin::untried) {
        return Error(ErrorKind::busy, "an imported set is not checked yet; see: shelfctl auth status " + library);
    }
    if (!parts_.machine.can_refresh() || parts_.machine.doubt().open) {
        return Error(ErrorKind::needs_person,
                     fmt::format("another machine could not use this set either: {}", why_not(parts_.facts()).text()));
    }
    return {};
}

// Returns the failure; "" if only the newest record is left.
asio::awaitable<std::string> SetHandover::wipe_older_records()
{
    parts_.sets.drop_old_access();
    auto work = [](JournalPair& pair) { return pair.wipe_all_but_newest(); };
    const auto wiped = co_await parts_.journals.write(work);
    co_return wiped.trouble;
}

asio::awaitable<Result<Secret>> SetHandover::move_out(std::string where)
{
    if (parts_.sets.is_moved_out() && parts_.sets.present()->moved_to == where) {
        SHELFD_CO_TRY(parts_.journals.health().check_bar());
        // The first attempt may have ended before this.
        const auto unwiped = co_await wipe_older_records();
        co_return give_again(parts_, unwiped);
    }
    SHELFD_CO_TRY(check_move_out());
    auto& sets = parts_.sets;
    auto before = sets.present()->clone();
    auto kept = sets.clone_kept();
    // The mark continues to keep the kept set: the move may be taken back.
    auto next = sets.present()->clone();
    next.generation = sets.next_generation();
    next.origin = Origin::moved_out;
    next.moved_at = parts_.services.clock.now();
    next.moved_to = std::move(where);
    auto marking = change_.replace(std::move(next), sets.clone_kept());
    auto trouble = co_await std::move(marking);
    const bool is_marked = trouble.empty();
    trouble = is_marked ? parts_.standing.trouble() : trouble;
    if (trouble.empty()) {
        // A copy without the mark, or with an older record, could restore the set later.
        trouble = co_await wipe_older_records();
        trouble += parts_.journals.health().trouble;
    }
    if (trouble.empty()) {
        sets.drop_kept();
        parts_.services.log.warning("the token set was moved away; it is no longer refreshed here",
                                    {{"library", parts_.settings.library}, {"to", sets.present()->moved_to}});
        co_return write_moved_set(*sets.present(), parts_.settings.library, parts_.services.clock.now());
    }
    if (is_marked) {
        before.generation = sets.present()->generation + 1;
        auto restoring = change_.replace(std::move(before), std::move(kept));
        static_cast<void>(co_await std::move(restoring));
    }
    co_return Error(ErrorKind::storage,
                    fmt::format("both copies of the journal must record the move before the set is printed, and one "
                                "cannot ({}); the set stays here, see: shelfctl auth status {}",
                                trouble, parts_.settings.library));
}

Result<void> SetHandover::check_adoption() const
{
    SHELFD_TRY(change_.check());
    if (const auto& unread = parts_.journals.health().unread; !unread.empty()) {
        return Error(ErrorKind::storage, fmt::format("one copy of the token journal was not read yet and may have a "
                                                     "newer set ({}): correct that first, then: shelfctl reload",
                                                     unread));
    }
    if (!parts_.sets.present() || (!parts_.machine.is_copied() && !parts_.sets.is_moved_out())) {
        return Error(ErrorKind::usage,
                     fmt::format("{} needs no adoption: its store is already in use", parts_.settings.library));
    }
    return {};
}

// A refresh elsewhere has revoked the access token before its time: it is invalid, not expired. Of a set that is known
// to be older than what was in use here, a person who adopts it knows that.
asio::awaitable<Result<void>> SetHandover::check_use_elsewhere()
{
    const auto& present = *parts_.sets.present();
    const auto expires = parts_.machine.expires();
    if (present.access.empty() || parts_.services.clock.boot_now() >= expires || parts_.sets.is_behind_mirror()) {
        co_return Result<void>();
    }
    auto asking = parts_.canary.ask_in_time(present.access.clone());
    const auto reading = co_await std::move(asking);
    if (reading.answer != CanaryAnswer::refused_as_invalid) {
        co_return Result<void>();
    }
    // Of a set that was moved there is a document, which is refreshed wherever it is moved in.
    const auto& library = parts_.settings.library;
    const auto cure =
        parts_.sets.is_moved_out()
            ? fmt::format(
                  "if it is certain that none does, this refreshes it here: shelfctl auth move-out {0} | shelfctl "
                  "auth move-in {0}",
                  library)
            : fmt::format("if none does, ask the owner for another set: shelfctl auth ask {}", library);
    co_return Error(
        ErrorKind::needs_person,
        fmt::format(
            "the access token of this set was refused ({0}), though it would work until {1}: another machine has "
            "probably refreshed the set. A refresh here would present a used refresh token, for which services "
            "revoke the set there. Nothing was changed. If that machine uses the set, leave it there; {2}",
            reading.text, parts_.moments.at(expires).wall.to_short_text(), cure));
}

asio::awaitable<Result<void>> SetHandover::adopt()
{
    SHELFD_CO_TRY(check_adoption());
    auto checking = check_use_elsewhere();
    SHELFD_CO_TRY(co_await std::move(checking));
    auto& sets = parts_.sets;
    auto next = sets.present()->clone();
    next.generation = sets.next_generation();
    next.origin = sets.is_moved_out() ? Origin::restored : next.origin;
    next.moved_at.reset();
    next.moved_to.clear();
    next.keep = sets.kept() ? next.keep : 0;
    if (sets.is_behind_mirror()) {
        next.remark_at = parts_.services.clock.now();
        next.remark = fmt::format("the adopted token set is older than what was in use here (generation {}, and the "
                                  "mirror knows generation {}), so its refresh token was probably used before, and the "
                                  "service may refuse the next refresh",
                                  sets.present()->generation, sets.mirror_generation());
        parts_.services.log.warning(next.remark, {{"library", parts_.settings.library}});
    }
    auto before = parts_.journals.renew_identity();
    auto replacing = change_.replace(std::move(next), sets.clone_kept());
    const auto trouble = co_await std::move(replacing);
    if (!trouble.empty()) {
        parts_.journals.pair().identify(std::move(before));
        co_return Error(ErrorKind::storage, "the adoption could not be stored: " + trouble);
    }
    co_return Result<void>();
}

asio::awaitable<Result<void>> SetHandover::forget()
{
    SHELFD_CO_TRY(parts_.journals.health().check_bar());
    auto replacing = change_.replace(parts_.sets.new_set(), std::nullopt);
    const auto trouble = co_await std::move(replacing);
    if (!trouble.empty()) {
        co_return Error(ErrorKind::storage, "nothing was deleted, and the set stays in use (until a disk works again, "
                                            "a restart may find it deleted): " +
                                                trouble);
    }
    const auto left = co_await wipe_older_records();
    if (!left.empty()) {
        co_return Error(ErrorKind::storage, "the set was deleted, but not every copy could be wiped: " + left);
    }
    co_return Result<void>();
}

Result<void> SetHandover::check_revocation() const
{
    const auto& library = parts_.settings.library;
    if (parts_.settings.endpoint.revocation_path.empty()) {
        return Error(ErrorKind::usage, fmt::format("revocation_path is not configured for {}", library));
    }
    if (parts_.sets.is_moved_out()) {
        return Error(ErrorKind::usage,
                     fmt::format("the set of {} was moved to another machine, which uses it", library));
    }
    if (parts_.machine.is_copied()) {
        return Error(ErrorKind::usage,
                     fmt::format("the store of {} looks copied; the original may still use its set", library));
    }
    if (!parts_.sets.has_set() && !parts_.sets.candidate()) {
        return Error(ErrorKind::usage, library + " has no token set");
    }
    return {};
}

asio::awaitable<Result<void>> SetHandover::revoke_one(Secret token, std::string_view hint)
{
    SHELFD_CO_TRY_ASSIGN(secret, co_await parts_.exchange.read_secret());
    auto request = make_revocation_request(parts_.settings.endpoint, token, hint, secret);
    const auto outcome = co_await parts_.services.client.send(std::move(request));
    if (!outcome) {
        co_return outcome.error();
    }
    if (outcome->status < 200 || outcome->status > 299) {
        co_return Error(ErrorKind::refused, fmt::format("{} answered {} to the revocation",
                                                        parts_.settings.endpoint.revocation_path, outcome->status));
    }
    co_return Result<void>();
}

// A refresh token takes its access tokens with it (RFC 7009, section 2.1).
asio::awaitable<Result<void>> SetHandover::revoke()
{
    SHELFD_CO_TRY(check_revocation());
    const auto& sets = parts_.sets;
    std::vector<std::pair<Secret, std::string_view>> tokens;
    const auto add = [&tokens](const auto& set) {
        if (set && !set->refresh.empty()) {
            tokens.emplace_back(set->refresh.clone(), "refresh_token");
        } else if (set && !set->access.empty()) {
            tokens.emplace_back(set->access.clone(), "access_token");
        }
    };
    add(sets.present());
    add(sets.kept());
    add(sets.candidate());
    for (auto& [token, hint] : tokens) {
        auto revoking = revoke_one(std::move(token), hint);
        SHELFD_CO_TRY(co_await std::move(revoking));
    }
    parts_.services.log.warning("the service was asked to revoke the token set, and did",
                                {{"library", parts_.settings.library}});
    co_return Result<void>();
}

}  // namespace shelfd::oauth
