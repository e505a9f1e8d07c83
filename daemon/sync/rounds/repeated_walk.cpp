#include "sync/rounds/repeated_walk.hpp"

#include <utility>

namespace shelfd::sync {
namespace {

// Repetitions of the walk over a part that proved nothing.
constexpr std::uint32_t max_walks_again = 2;

// False if two walks met the same rows and proved nothing: a third one would not either. A walk that took rows of other
// windows is repeated later: if two rows have the same key, these windows lack theirs now.
bool is_worth_repeating(const PassReport& ended, const PassPlan& plan)
{
    const bool is_part = plan.slice && ended.kind != PassKind::incremental;
    if (!is_part || ended.trouble != Trouble::none || !ended.published || ended.proof.complete() ||
        ended.is_unvouched || ended.takes_rows) {
        return false;
    }
    const bool moved = ended.published->added + ended.published->changed > 0;
    return moved || !plan.repeats || ended.learned.key_set != plan.previous_key_set;
}

// The last report holds what all walks over one part prove.
void add_walk(PassReport& newest, const PassReport& before)
{
    const auto proof = newest.proof;
    const auto remark = newest.remark;
    add(newest, before);
    newest.learned.unbrought.add(before.learned.unbrought);
    newest.proof = proof;
    newest.remark = remark;
}

}  // namespace

void add(PassReport& newest, const PassReport& before)
{
    newest.started = before.started;
    newest.spent.add(before.spent);
    newest.pages += before.pages;
    newest.learned.met.insert(0, before.learned.met);
    if (!before.proof.complete()) {
        newest.proof = before.proof;
    }
    newest.is_unvouched = newest.is_unvouched || before.is_unvouched;
    const auto add_before = [](auto& windows, const auto& earlier) {
        windows.insert(windows.begin(), earlier.begin(), earlier.end());
    };
    add_before(newest.windows.asked, before.windows.asked);
    add_before(newest.windows.taking, before.windows.taking);
    if (newest.remark.empty()) {
        newest.remark = before.remark;
    }
    if (newest.published && before.published) {
        newest.published->added += before.published->added;
        newest.published->changed += before.published->changed;
        newest.published->unchanged += before.published->unchanged;
        newest.published->deleted += before.published->deleted;
        newest.published->drifted += before.published->drifted;
    }
}

boost::asio::awaitable<RepeatedWalk> repeat_until_proven(PassReport ended, PassPlan plan, WalkAgain again)
{
    RepeatedWalk all{std::move(ended)};
    while (all.walks <= max_walks_again && is_worth_repeating(all.ended, plan)) {
        plan.previous_key_set = all.ended.learned.key_set;
        plan.previous_as_of = all.ended.read_at;
        plan.repeats = true;
        plan.spent = {};
        auto repeated = co_await again(plan, all.ended);
        ++all.walks;
        if (repeated.trouble != Trouble::none) {
            all.interrupted = std::move(repeated);
            break;
        }
        add_walk(repeated, all.ended);
        all.ended = std::move(repeated);
    }
    co_return all;
}

}  // namespace shelfd::sync
