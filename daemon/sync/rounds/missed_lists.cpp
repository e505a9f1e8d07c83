#include "sync/rounds/missed_lists.hpp"

#include "sync/pass/vouching.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace shelfd::sync {

void MissedLists::add(const std::string& parent, ListEnd end, const PassReport& walk)
{
    auto& missed = lists_.emplace_back();
    missed.list.parent = parent;
    missed.list.why = walk.why;
    missed.failed = end == ListEnd::failed;
    if (end == ListEnd::refused) {
        missed.list.asked_at = walk.started;
        missed.list.empty_as_of = walk.list.absent ? std::optional(walk.as_of) : std::nullopt;
    }
}

void MissedLists::blame_service(std::vector<std::string>& failed)
{
    for (auto& missed : lists_) {
        missed.list.empty_as_of.reset();
        if (missed.failed) {
            failed.push_back(missed.list.parent);
        }
    }
    std::erase_if(lists_, [](const Missed& missed) { return missed.failed; });
}

// For a dead token the service may claim that a list does not exist. Rows are deleted with a list only if a canary that
// refuses a wrong token has confirmed the library afterwards.
asio::awaitable<void> MissedLists::doubt_empty(PassReport& report)
{
    if (std::none_of(lists_.begin(), lists_.end(),
                     [](const Missed& missed) { return missed.list.empty_as_of.has_value(); })) {
        co_return;
    }
    Vouching vouching(context_.identity);
    vouching.answer_arrived(context_.clock.boot_now());
    const auto ours = co_await vouching.behind(Duration(0), Vouching::Rows::go);
    report.spent.add(budget::Reason::canary, vouching.requests());
    if (ours.trouble == Trouble::none && !vouching.is_impossible()) {
        co_return;
    }
    for (auto& [list, failed] : lists_) {
        if (list.empty_as_of) {
            list.empty_as_of.reset();
            list.why += "; the token cannot be checked, so its rows stay: set `identity` of the service";
        }
    }
}

asio::awaitable<Result<void>> MissedLists::record(const mirror::RunRecord& run, PassReport& report)
{
    std::vector<mirror::MissedList> missed;
    for (auto& [list, failed] : std::exchange(lists_, {})) {
        if (failed) {
            report.lists.again.push_back({list.parent, true});
        }
        missed.push_back(std::move(list));
    }
    auto note = [this, &missed, &run] { return context_.mirror.record_failed_lists(run.resource, missed, run); };
    co_return co_await context_.lane.run(note);
}

std::string remark_on(const mirror::ListsStanding& lists, const std::string& as)
{
    if (lists.stale > 0) {
        return fmt::format("{} of {} lists cannot be walked; the first is for {} {}: {}; {}", lists.stale, lists.lists,
                           as, lists.parent, lists.why,
                           lists.unwalked > 0 ? "their rows are missing or stay unchanged"
                                              : "their rows stay unchanged");
    }
    if (lists.missed > 0) {
        return fmt::format("{} of {} lists do not exist and count as empty; the first is for {} {}: {}", lists.missed,
                           lists.lists, as, lists.parent, lists.why);
    }
    if (lists.never_asked > 0) {
        return fmt::format("{} of {} lists were not walked yet", lists.never_asked, lists.lists);
    }
    return "";
}

}  // namespace shelfd::sync
