#include "sync/worker/outcome_log.hpp"

#include <fmt/core.h>

namespace shelfd::sync {

void OutcomeLog::ended(const PassReport& pass, TokenSet set, Instant next_try)
{
    if (!pass.published) {
        return failed(pass, set, next_try);
    }
    logged_.clear();
    of_token_set_.clear();
    // Without a page, no parent had a list to walk.
    if (pass.pages > 0 || pass.published->deleted > 0) {
        published(pass);
    }
}

void OutcomeLog::failed(const PassReport& pass, TokenSet set, Instant next_try)
{
    const bool by_token_set = pass.trouble == Trouble::needs_person && set == TokenSet::unusable;
    if (std::exchange(by_token_set ? of_token_set_ : logged_, pass.why) == pass.why) {
        return;
    }
    const auto what = by_token_set ? library_ : resource_ + " of " + library_;
    log_.warning(
        fmt::format("{} not synced: {}; next try at {}", what, pass.why, next_try.to_short_text()),
        {{"library", library_}, {"resource", resource_}, {"run_id", pass.run_id}, {"state", to_string(pass.trouble)}});
}

void OutcomeLog::published(const PassReport& pass)
{
    const auto seconds = static_cast<double>((pass.ended - pass.started).count()) / 1e6;
    const auto& done = *pass.published;
    const auto text =
        fmt::format("{} of {} synced ({}): {} rows, {} added, {} changed, {} deleted, {} pages in {:.1f} s{}",
                    resource_, library_, to_string(pass.kind), done.rows, done.added, done.changed, done.deleted,
                    pass.pages, seconds, pass.proof.complete() ? "" : " (not proven complete)");
    log_.info(text, {{"library", library_},
                     {"resource", resource_},
                     {"run_id", pass.run_id},
                     {"proof", to_string(pass.proof.kind)}});
}

}  // namespace shelfd::sync
