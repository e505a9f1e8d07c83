// What somebody wants of a table, and what the next pass over it would be.
#include "sync/resource_worker.hpp"

#include <fmt/core.h>

namespace shelfd::sync {

Wish ResourceWorker::what_is_wanted() const
{
    const auto now = context_.clock.now();
    const bool asked_for = requested_ > report_.passes_ended;
    if (asked_for && (rhythm_.windows() || requested_kind_.wanted != Wanted::ordinary)) {
        auto wish = requested_kind_;
        wish.anew = true;
        return wish;
    }
    if (chooser_.is_sliced() && !asked_for && !walk_again_ && !rhythm_.is_due(now)) {
        return {Wanted::rest};
    }
    const bool whole = !rhythm_.windows() && (walk_again_ || rhythm_.is_full_due(now) || has_cut_walk_);
    return {whole ? Wanted::full : Wanted::ordinary, {}, asked_for};
}

std::uint64_t ResourceWorker::request_pass(Wish wish)
{
    // A pass that runs now began before the request: the one after it counts.
    requested_ = report_.passes_ended + (busy_ ? 2 : 1);
    requested_kind_ = wish;
    wake_.notify_all();
    return requested_;
}

PassPreview ResourceWorker::preview(Wish wish) const
{
    if (rhythm_.windows()) {
        return chooser_.preview(wish);
    }
    const auto wanted = wish.wanted;
    const bool whole = walk_again_ || rhythm_.is_full_due(context_.clock.now());
    auto preview = chooser_.preview({wanted == Wanted::ordinary && whole ? Wanted::full : wanted});
    if (chooser_.has_parent()) {
        return preview;
    }
    const auto& summary = report_.summary;
    if (report_.last_pass && report_.last_pass->kind == preview.kind && report_.last_pass->published) {
        const auto& spent = report_.last_pass->spent;
        preview.requests = report_.last_pass->requests() - spent.of(budget::Reason::filter_try);
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
    if (!rhythm_.windows()) {
        return Error(ErrorKind::usage, fmt::format("{} is not walked in windows: it has no `window` in the "
                                                   "configuration; --full walks all of it",
                                                   resource_.name));
    }
    return range_of(rhythm_.windows()->windows(), from, to, context_.clock.now());
}

}  // namespace shelfd::sync
