#include "oauth/intake/set_change.hpp"

#include "oauth/stored/recovery.hpp"

#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <fmt/format.h>

namespace shelfd::oauth {

asio::awaitable<std::string> SetChange::replace(TokenSet next, std::optional<TokenSet> kept)
{
    auto replacing = replace_shielded(std::move(next), std::move(kept));
    co_return co_await asio::co_spawn(parts_.services.executor, std::move(replacing), asio::use_awaitable);
}

asio::awaitable<std::string> SetChange::replace_shielded(TokenSet next, std::optional<TokenSet> kept)
{
    co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
    const auto at = parts_.moments.now();
    auto work = [&](JournalPair& pair) {
        pair.reopen();
        const auto marks = pair.set_marks(JournalPair::Marks::own);
        auto written = pair.write_token(next, at);
        pair.set_marks(written.copies == 0 ? marks : JournalPair::Marks::own);
        return written;
    };
    const auto written = co_await parts_.journals.write(work);
    if (written.copies == 0) {
        // A record too large for any copy was not written, so there is nothing to take back.
        if (parts_.sets.present() && written.fit == Fit::fits) {
            parts_.journals.take_back(*parts_.sets.present());
        }
        co_return written.trouble;
    }
    parts_.journals.warn_of(written);
    parts_.standing.set_trouble(written.trouble);
    begin_with(std::move(next), std::move(kept));
    co_return "";
}

void SetChange::begin_with(TokenSet next, std::optional<TokenSet> kept)
{
    auto& sets = parts_.sets;
    sets.replace(std::move(next), std::move(kept));
    parts_.journals.accept_store();
    parts_.journals.forget_code_intent();
    parts_.standing.set_reason("");
    parts_.standing.begin(Standing::good);
    parts_.exchange.drop_survivor();
    pace_.reset();
    const StartFacts facts{sets, parts_.moments, parts_.canary.mark(), false, parts_.services.random()};
    parts_.machine.begin(start_of(facts));
    if (sets.has_set()) {
        parts_.services.log.info(
            "another token set is in use",
            {{"library", parts_.settings.library}, {"generation", std::to_string(sets.present()->generation)}});
    }
    parts_.changed();
}

std::optional<TokenSet> SetChange::keep_for(TokenSet& next) const
{
    const auto& present = parts_.sets.present();
    if (!present || !parts_.machine.can_refresh()) {
        return std::nullopt;
    }
    next.keep = present->generation;
    return present->clone();
}

Result<void> SetChange::check() const
{
    SHELFD_TRY(parts_.journals.health().check_bar());
    if (parts_.sets.candidate()) {
        return Error(ErrorKind::busy,
                     fmt::format("the set of the last login of {0} waits until its library is known, and this would "
                                 "destroy it; see: shelfctl auth status {0} (to discard it: shelfctl auth forget {0})",
                                 parts_.settings.library));
    }
    return {};
}

// A name may have been given to another library while the set of the former one was kept.
Result<void> SetChange::check_owner(const std::string& said) const
{
    const auto library_id = said.empty() ? parts_.canary.spec().library_id : said;
    const auto& present = parts_.sets.present();
    const auto ours = present && parts_.machine.can_refresh() ? present->library_id : std::string();
    if (ours.empty() || library_id.empty() || ours == library_id) {
        return {};
    }
    return Error(
        ErrorKind::usage,
        fmt::format("{0} has the token set of library {1} of the service, which this one of library {2} would "
                    "destroy; nothing was changed. Give library {2} a name of its own: shelfctl library add NAME; "
                    "if the set of {1} is not needed any more: shelfctl auth forget {0}",
                    parts_.settings.library, ours, library_id));
}

}  // namespace shelfd::oauth
