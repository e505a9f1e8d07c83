// What somebody wants of a table, and what the next pass over it would be.
#include "sync/worker/resource_worker.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace shelfd::sync {

// What comes later is for the pass behind this one.
std::optional<Wish> ResourceWorker::take_wish()
{
    if (wishes_.empty()) {
        return std::nullopt;
    }
    const auto wish = wishes_.front();
    wishes_.erase(wishes_.begin());
    return wish;
}

Wish ResourceWorker::what_is_wanted(const std::optional<Wish>& asked_for) const
{
    const auto now = context_.clock.now();
    if (asked_for && (rhythm_.windows() != nullptr || asked_for->wanted != Wanted::ordinary)) {
        auto wish = *asked_for;
        wish.anew = true;
        wish.repeats = walk_again_;
        return wish;
    }
    if (chooser_.is_sliced() && !asked_for && !walk_again_ && !must_refill_ && !rhythm_.is_due(now)) {
        return {Wanted::backfill};
    }
    const bool whole =
        rhythm_.windows() == nullptr && (walk_again_ || must_refill_ || has_cut_walk_ || rhythm_.is_full_due(now));
    return {whole ? Wanted::full : Wanted::ordinary, {}, asked_for.has_value(), walk_again_};
}

std::uint64_t ResourceWorker::request_pass(Wish wish)
{
    auto place = std::find(wishes_.begin(), wishes_.end(), wish);
    if (place == wishes_.end() && rhythm_.windows() == nullptr && !wishes_.empty()) {
        // A pass over the whole list does what any other one does. Windows do not stand for each other.
        place = wishes_.begin();
        place->wanted = std::max(place->wanted, wish.wanted);
    }
    if (place == wishes_.end()) {
        place = wishes_.insert(wishes_.end(), wish);
    }
    wake_.notify_all();
    context_.turns.reconsider();
    context_.gate->reconsider(context_.seat);
    // A pass that runs now began before the request: one after it counts.
    return report_.passes_ended + (busy_ ? 2U : 1U) + static_cast<std::uint64_t>(place - wishes_.begin());
}

// As far as it can be known; of lists and windows, one each.
std::uint64_t ResourceWorker::expected_requests(const Round& round) const
{
    const bool is_list = !round.by_parent && !round.is_sliced() && round.passes.front().kind == PassKind::full;
    const std::uint64_t page_size = context_.library.service.page_size;
    return is_list ? (report_.summary.rows + page_size - 1) / page_size : round.size();
}

WalkTurns::Claim ResourceWorker::claim() const
{
    const bool is_wished = !wishes_.empty();
    const auto wish = what_is_wanted(is_wished ? std::optional(wishes_.front()) : std::nullopt);
    const auto next = preview(wish);
    WalkTurns::Claim claim;
    claim.is_wished = is_wished;
    claim.is_first_load = !report_.summary.as_of;
    claim.pages = next.requests.value_or(0);
    const bool keeps_fresh =
        next.kind == PassKind::incremental || (next.kind == PassKind::window && wish.wanted == Wanted::ordinary);
    claim.kind = keeps_fresh                                              ? WalkTurns::Kind::changes
                 : has_cut_walk_ || claim.pages > WalkTurns::max_of_brief ? WalkTurns::Kind::lengthy
                                                                          : WalkTurns::Kind::brief;
    return claim;
}

PassPreview ResourceWorker::preview(Wish wish) const
{
    if (rhythm_.windows() != nullptr) {
        return chooser_.preview(wish);
    }
    const auto wanted = wish.wanted;
    const bool whole = walk_again_ || must_refill_ || rhythm_.is_full_due(context_.clock.now());
    auto preview = chooser_.preview({wanted == Wanted::ordinary && whole ? Wanted::full : wanted});
    if (chooser_.has_parent()) {
        return preview;
    }
    const auto& summary = report_.summary;
    if (report_.last_pass && report_.last_pass->kind == preview.kind && report_.last_pass->published) {
        const auto& spent = report_.last_pass->spent;
        preview.requests =
            report_.last_pass->requests() - spent.of(budget::Reason::filter_try) - spent.of(budget::Reason::end_try);
    } else if (preview.kind == PassKind::incremental) {
        preview.requests = 1;
    } else if (summary.as_of) {
        const auto pages = (summary.rows + context_.library.service.page_size - 1) / context_.library.service.page_size;
        preview.requests = pages <= 1 ? 1 : pages + 1;
    }
    return preview;
}

Result<TimeRange> ResourceWorker::time_range(const std::string& from, const std::string& to) const
{
    if (rhythm_.windows() == nullptr) {
        return Error(ErrorKind::usage, fmt::format("{} is not walked in windows: it has no `window` in the "
                                                   "configuration; --full walks all of it",
                                                   resource_.name));
    }
    return range_of(rhythm_.windows()->windows(), from, to, context_.clock.now());
}

}  // namespace shelfd::sync
