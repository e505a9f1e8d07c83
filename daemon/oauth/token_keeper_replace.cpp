// One set takes the place of another, and what becomes of the one before until the new one is proven.
#include "oauth/token_keeper.hpp"

#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <fmt/format.h>

namespace shelfd::oauth {
namespace {

constexpr Duration canary_pause = std::chrono::seconds(10);

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
        written = pair_.write_token(next, at);
    };
    co_await run_on_disk(work);
    if (written.copies == 0) {
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
    survivor_ = {};
    proof_due_ = BootTime();
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
    note_identity(reading);
    if (reading.answer == CanaryAnswer::wrong_library || reading.answer == CanaryAnswer::forbidden) {
        auto dropping = drop_unproven(reading);
        co_return co_await std::move(dropping);
    }
    if (reading.answer != CanaryAnswer::ours) {
        proof_due_ = services_.clock.boot_now() + std::max(canary_pause, reading.retry_after.value_or(Duration(0)));
        co_return Error(ErrorKind::network,
                        fmt::format("the set is in force and was refreshed, and the service cannot be asked yet whose "
                                    "it is ({}); shelfd goes on asking: shelfctl auth status {}",
                                    reading.text, settings_.library));
    }
    // On disk it stays unproven until the next refresh: a restart asks once more.
    set_->origin = Origin::rotated;
    set_->library_id = pinned_library_;
    kept_.reset();
    announce();
    co_return std::nullopt;
}

asio::awaitable<void> TokenKeeper::prove_set_when_due()
{
    const auto boot_now = services_.clock.boot_now();
    if (is_unproven() && proof_due_ <= boot_now && machine_.access_is_usable(boot_now)) {
        proof_due_ = boot_now + canary_pause;
        if (const auto refusal = co_await prove_set()) {
            services_.log.warning("the set that was handed in last is not proven",
                                  {{"library", settings_.library}, {"reason", refusal->text()}});
        }
    }
}

// The set before it comes back. Where there is none it stays, unused for any table: it may be somebody's only one.
asio::awaitable<std::optional<Error>> TokenKeeper::drop_unproven(const CanaryReading& reading)
{
    if (!kept_) {
        set_->origin = Origin::rotated;
        announce();
        co_return Error(ErrorKind::needs_person,
                        fmt::format("the set was refreshed and stays, but nothing shows that it is of this library: "
                                    "{}; no table is filled before that: shelfctl auth status {}",
                                    reading.text, settings_.library));
    }
    auto next = kept_->clone();
    next.generation = set_->generation + 1;
    next.keep = 0;
    next.origin = Origin::restored;
    auto restoring = replace_set(std::move(next), std::nullopt);
    const auto trouble = co_await std::move(restoring);
    if (!trouble.empty()) {
        proof_due_ = services_.clock.boot_now() + canary_pause;
        co_return Error(ErrorKind::storage,
                        "the set before cannot be put in force again yet; shelfd goes on trying: " + trouble);
    }
    co_return Error(ErrorKind::usage,
                    fmt::format("this set belongs to another library, or may not read what names it: {}; the set in "
                                "force before is in force again",
                                reading.text));
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
asio::awaitable<void> TokenKeeper::note_standing()
{
    const auto note = standing_note();
    const auto at = now();
    auto work = [&] { pair_.write_note(RecordKind::verdict, set_->generation, machine_.attempt(), note, at); };
    co_await run_on_disk(work);
}

}  // namespace shelfd::oauth
