// One set takes the place of another, and what becomes of the one before until the new one is proven.
#include "oauth/keeper/token_keeper.hpp"

#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <fmt/format.h>

namespace shelfd::oauth {
namespace {

// The same tokens once more, as the newest record and the only one that counts.
TokenSet next_generation(const TokenSet& set, const TokenSet& present, Origin origin)
{
    auto next = set.clone();
    next.generation = present.generation + 1;
    next.keep = 0;
    next.origin = origin;
    return next;
}

}  // namespace

// Not to be interrupted: the set is ours to keep from here on. The text of what went wrong; "" when it is in force.
asio::awaitable<std::string> TokenKeeper::replace_set(TokenSet next, std::optional<TokenSet> kept)
{
    auto replacing = replace_set_shielded(std::move(next), std::move(kept));
    co_return co_await asio::co_spawn(services_.executor, std::move(replacing), asio::use_awaitable);
}

asio::awaitable<std::string> TokenKeeper::replace_set_shielded(TokenSet next, std::optional<TokenSet> kept)
{
    co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
    const auto at = now();
    Written written;
    auto work = [&] {
        pair_.reopen();
        const auto marks = pair_.set_marks(JournalPair::Marks::own);
        written = pair_.write_token(next, at);
        pair_.set_marks(written.copies == 0 ? marks : JournalPair::Marks::own);
    };
    co_await run_on_disk(work);
    if (written.copies == 0) {
        // What no copy was even given is not to be taken back: the newest record is that of the present set.
        if (set_ && written.fit == Fit::fits) {
            pair_.take_back(*set_);
            copies_ = 0;
            tend_due_ = services_.clock.boot_now();
        }
        co_return written.trouble;
    }
    warn_of(written);
    kept_ = std::move(kept);
    hold(std::move(next));
    copied_.clear();
    damaged_.clear();
    candidate_.reset();
    login_is_open_ = false;
    mirror_generation_ = 0;
    trouble_ = written.trouble;
    reason_.clear();
    survivor_.reset();
    asking_due_ = BootTime();
    asked_ = 0;
    told_waiting_.clear();
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

// The present set stays beside `next` until that one is proven, if it is of use.
std::optional<TokenSet> TokenKeeper::keep_for(TokenSet& next) const
{
    if (!set_ || !machine_.can_refresh()) {
        return std::nullopt;
    }
    next.keep = set_->generation;
    return set_->clone();
}

// An untried set is in force, the one before is kept: refreshed at once, and then asked whose it is.
asio::awaitable<Result<ImportOutcome>> TokenKeeper::refresh_untried(ImportMode mode, const Secret& given)
{
    co_await drive(machine_.resume(make_event(EventKind::seal)));
    if (is_unproven()) {
        if (auto refusal = co_await prove_set()) {
            co_return std::move(*refusal);
        }
    }
    co_return import_outcome(mode, given);
}

// Nothing when the set is of this library.
asio::awaitable<std::optional<Error>> TokenKeeper::prove_set()
{
    const auto reading = co_await read_canary_with(set_->access.clone());
    record_identity(reading);
    if (reading.answer == CanaryAnswer::wrong_library) {
        auto dropping = drop_unproven(reading);
        co_return co_await std::move(dropping);
    }
    if (reading.answer != CanaryAnswer::ours) {
        asking_due_ = ask_again_at(reading);
        co_return Error(ErrorKind::network,
                        fmt::format("the set is in force and was refreshed, and the service does not say yet whose it "
                                    "is ({}); shelfd goes on asking: shelfctl auth status {}",
                                    reading.text, settings_.library));
    }
    auto next = next_generation(*set_, *set_, Origin::rotated);
    next.library_id = pinned_library_;
    auto replacing = replace_set(std::move(next), std::nullopt);
    const auto trouble = co_await std::move(replacing);
    if (!trouble.empty()) {
        asking_due_ = ask_again_at(reading);
        co_return Error(ErrorKind::storage, "the set is of this library, which cannot be noted yet: " + trouble);
    }
    co_return std::nullopt;
}

// When it wants to be called next; nothing: not as long as all is as it is. Never while an exchange is in doubt: that
// set would take the place of what may come of it.
asio::awaitable<std::optional<BootTime>> TokenKeeper::prove_set_when_due()
{
    const auto may_ask = [this] {
        return is_unproven() && !machine_.doubt().open && machine_.access_is_usable(services_.clock.boot_now());
    };
    if (may_ask() && asking_due_ <= services_.clock.boot_now()) {
        const auto refusal = co_await prove_set();
        const auto why = refusal ? refusal->text() : "";
        if (std::exchange(told_waiting_, why) != why && refusal) {
            services_.log.warning("the set that was handed in last is not proven",
                                  {{"library", settings_.library}, {"reason", why}});
        }
    }
    co_return may_ask() ? std::optional(asking_due_) : std::nullopt;
}

// The set before it comes back. Where there is none it stays, unused for any table: it may be somebody's only one.
asio::awaitable<std::optional<Error>> TokenKeeper::drop_unproven(const CanaryReading& reading)
{
    if (!kept_) {
        set_->origin = Origin::rotated;  // in memory: the next start asks again
        announce();
        co_return Error(ErrorKind::needs_person,
                        fmt::format("the set was refreshed and stays, but nothing shows that it is of this library: "
                                    "{}; no table is filled before that: shelfctl auth status {}",
                                    reading.text, settings_.library));
    }
    auto restoring = replace_set(next_generation(*kept_, *set_, Origin::restored), std::nullopt);
    const auto trouble = co_await std::move(restoring);
    if (!trouble.empty()) {
        asking_due_ = ask_again_at(reading);
        co_return Error(ErrorKind::storage,
                        "the set before cannot be put in force again yet; shelfd goes on trying: " + trouble);
    }
    co_return Error(ErrorKind::usage,
                    fmt::format("this set belongs to another library: {}; the set in force before is in force again",
                                reading.text));
}

// Why nobody may put another set in force now.
std::optional<Error> TokenKeeper::refuse_change() const
{
    if (!barred_.empty()) {
        return Error(ErrorKind::corrupt, barred_);
    }
    if (candidate_) {
        return Error(ErrorKind::busy,
                     fmt::format("the last login of {0} gave a set that waits until the service says whose it is, and "
                                 "this would destroy it; see: shelfctl auth status {0} (to give it up: shelfctl auth "
                                 "forget {0})",
                                 settings_.library));
    }
    return std::nullopt;
}

asio::awaitable<Result<void>> TokenKeeper::run_adopt()
{
    if (auto refusal = refuse_change()) {
        co_return std::move(*refusal);
    }
    if (!unread_.empty()) {
        co_return Error(ErrorKind::storage,
                        fmt::format("one copy of the token journal was not read yet, and may hold a "
                                    "newer set ({}): mend that first, then: shelfctl reload",
                                    unread_));
    }
    if (!set_ || (!machine_.is_copied() && !is_moved_out())) {
        co_return Error(ErrorKind::usage,
                        fmt::format("{} needs no adoption: its store is the one in force", settings_.library));
    }
    auto next = set_->clone();
    next.generation = std::max(set_->generation, mirror_generation_) + 1;
    next.origin = is_moved_out() ? Origin::restored : next.origin;
    next.moved_at.reset();
    next.moved_to.clear();
    next.keep = kept_ ? next.keep : 0;
    auto kept = kept_ ? std::optional<TokenSet>(kept_->clone()) : std::nullopt;
    const auto identity = pair_.identity();
    pair_.identify({identity.library, new_id(), identity.machine});
    auto replacing = replace_set(std::move(next), std::move(kept));
    const auto trouble = co_await std::move(replacing);
    if (!trouble.empty()) {
        pair_.identify(identity);
        co_return Error(ErrorKind::storage, "the adoption could not be stored: " + trouble);
    }
    co_return Result<void>();
}

// The newest note says again what is true of the present set alone. What cannot be written is found, and written, at
// the next start.
asio::awaitable<void> TokenKeeper::record_standing()
{
    const auto note = standing_note();
    const auto at = now();
    auto work = [&] { pair_.write_note(RecordKind::verdict, set_->generation, machine_.attempt(), note, at); };
    co_await run_on_disk(work);
}

}  // namespace shelfd::oauth
