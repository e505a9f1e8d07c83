#include "oauth/intake/set_proof.hpp"

#include "oauth/intake/import_outcome.hpp"

#include <fmt/format.h>

namespace shelfd::oauth {
namespace {

// Returns the same tokens as the next generation, which replaces all others.
TokenSet next_generation(const TokenSet& set, const TokenSet& present, Origin origin)
{
    auto next = set.clone();
    next.generation = present.generation + 1;
    next.keep = 0;
    next.origin = origin;
    return next;
}

// The configuration may name another library since `kept` was put aside. What it says now must not destroy a set of the
// former one: then the new set is the one of another library.
CanaryReading beside_kept(CanaryReading reading, const Boxed<TokenSet>& kept, const std::string& expected)
{
    const auto& theirs = reading.library_id.empty() ? expected : reading.library_id;
    const bool is_other = kept && !kept->library_id.empty() && !theirs.empty() && theirs != kept->library_id;
    if (reading.answer == CanaryAnswer::ours && is_other) {
        reading.answer = CanaryAnswer::wrong_library;
        reading.text = fmt::format("it belongs to library {}, and the one before it to {}", theirs, kept->library_id);
    }
    return reading;
}

}  // namespace

asio::awaitable<Result<ImportOutcome>> SetProof::refresh_untried(ImportMode mode, const Secret& given)
{
    co_await parts_.rotate();
    if (parts_.sets.is_unproven()) {
        SHELFD_CO_TRY(co_await prove());
    }
    CanaryReading reading;
    reading.library_id = parts_.sets.present()->library_id;
    co_return import_outcome(parts_.facts(), mode, given, reading);
}

// Succeeds if the set belongs to this library.
asio::awaitable<Result<void>> SetProof::prove()
{
    auto& sets = parts_.sets;
    auto heard = co_await parts_.canary.ask(sets.present()->access.clone());
    const auto reading = beside_kept(std::move(heard), sets.kept(), parts_.canary.spec().library_id);
    if (sets.record_identity(reading)) {
        parts_.changed();
    }
    if (reading.answer == CanaryAnswer::wrong_library) {
        auto dropping = drop_unproven(reading);
        co_return co_await std::move(dropping);
    }
    if (reading.answer != CanaryAnswer::ours) {
        pace_.wait_after(reading);
        co_return Error(ErrorKind::network, fmt::format("the set was refreshed and is in use, but its library is not "
                                                        "known yet ({}); shelfd keeps asking: shelfctl auth status {}",
                                                        reading.text, parts_.settings.library));
    }
    auto next = next_generation(*sets.present(), *sets.present(), Origin::rotated);
    next.library_id = sets.pinned_library();
    auto replacing = change_.replace(std::move(next), std::nullopt);
    const auto trouble = co_await std::move(replacing);
    if (!trouble.empty()) {
        pace_.wait_after(reading);
        co_return Error(ErrorKind::storage,
                        "the set belongs to this library, which cannot be recorded yet: " + trouble);
    }
    sets.record_user(reading.user);
    co_return Result<void>();
}

bool SetProof::may_ask() const
{
    return parts_.sets.is_unproven() && !parts_.machine.doubt().open &&
           parts_.machine.access_is_usable(parts_.services.clock.boot_now());
}

asio::awaitable<std::optional<BootTime>> SetProof::run_when_due()
{
    if (may_ask() && pace_.is_due()) {
        const auto proven = co_await prove();
        const auto why = proven ? "" : proven.error().text();
        if (pace_.is_news(why)) {
            parts_.services.log.warning("the library of the imported set is not proven",
                                        {{"library", parts_.settings.library}, {"reason", why}});
        }
    }
    co_return may_ask() ? std::optional(pace_.due()) : std::nullopt;
}

// Restores the previous set. Without one the set stays, but no table uses it: it may be the only one of its owner.
asio::awaitable<Error> SetProof::drop_unproven(const CanaryReading& reading)
{
    auto& sets = parts_.sets;
    if (!sets.kept()) {
        sets.accept_unproven();
        parts_.changed();
        co_return Error(ErrorKind::needs_person,
                        fmt::format("the set was refreshed and is kept, but nothing shows that it belongs to this "
                                    "library: {}; no table is filled until then: shelfctl auth status {}",
                                    reading.text, parts_.settings.library));
    }
    auto before = next_generation(*sets.kept(), *sets.present(), Origin::restored);
    before.remark_at = parts_.services.clock.now();
    before.remark = fmt::format("the imported token set belongs to another library ({}), and the one before it is in "
                                "use again",
                                reading.text);
    auto restoring = change_.replace(std::move(before), std::nullopt);
    const auto trouble = co_await std::move(restoring);
    if (!trouble.empty()) {
        pace_.wait_after(reading);
        co_return Error(ErrorKind::storage,
                        "the previous set cannot be activated again yet; shelfd keeps trying: " + trouble);
    }
    co_return Error(
        ErrorKind::needs_person,
        fmt::format("this set belongs to another library: {}; the previous set is in use again", reading.text));
}

}  // namespace shelfd::oauth
