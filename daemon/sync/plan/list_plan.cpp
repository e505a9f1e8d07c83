#include "sync/plan/list_plan.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>

namespace shelfd::sync {
namespace {

using Known = std::map<std::string, const mirror::SliceFacts*>;

Known by_name(const std::vector<mirror::SliceFacts>& known)
{
    Known names;
    for (const auto& slice : known) {
        names.emplace(slice.name, &slice);
    }
    return names;
}

// Ignores an instant in the future, recorded before the clock was set back.
std::optional<Instant> past(std::optional<Instant> at, Instant now)
{
    return at && *at <= now ? at : std::nullopt;
}

// The lists for which `is_due` returns true, in the order that the header states. For a list that is not known yet,
// `is_due` gets nullptr.
std::vector<ListChoice> choose(const std::vector<std::string>& parents, const Known& known, Instant now,
                               const std::function<bool(const std::string&, const mirror::SliceFacts*)>& is_due)
{
    struct Candidate {
        ListChoice choice;
        Instant waits_since;
    };
    std::vector<Candidate> candidates;
    for (const auto& parent : parents) {
        const auto found = known.find(parent);
        const auto* facts = found == known.end() ? nullptr : found->second;
        if (!is_due(parent, facts)) {
            continue;
        }
        auto& candidate = candidates.emplace_back();
        candidate.choice.parent = parent;
        if (facts != nullptr) {
            candidate.choice.key_set = facts->key_set;
            candidate.choice.changes_from = past(facts->changes_from, now);
            // `as_of` is for the repetition of a whole walk, so it is not taken from a walk for changes.
            candidate.choice.as_of = facts->asked_at == facts->whole_at ? past(facts->as_of, now) : std::nullopt;
            candidate.choice.whole_at = facts->whole_at;
            candidate.choice.was_whole = facts->whole_at.has_value();
            candidate.choice.faulty = !facts->why.empty();
            candidate.waits_since = past(facts->asked_at, now).value_or(Instant());
        }
    }
    std::stable_sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
        return std::tie(a.choice.faulty, a.waits_since) < std::tie(b.choice.faulty, b.waits_since);
    });
    std::vector<ListChoice> choices;
    for (auto& candidate : candidates) {
        choices.push_back(std::move(candidate.choice));
    }
    return choices;
}

}  // namespace

std::vector<ListChoice> due_lists(const std::vector<std::string>& parents, const std::vector<mirror::SliceFacts>& known,
                                  const ListWish& wish, Instant now)
{
    const auto is_due = [&](const std::string&, const mirror::SliceFacts* facts) {
        if (facts == nullptr || !wish.since) {
            return true;
        }
        const auto done = past(wish.whole ? facts->whole_at : facts->asked_at, now);
        return !done || *done < *wish.since;
    };
    auto choices = choose(parents, by_name(known), now, is_due);
    for (auto& choice : choices) {
        choice.whole = wish.whole || !choice.changes_from || !choice.was_whole;
    }
    return choices;
}

std::vector<ListChoice> lists_between(const std::vector<std::string>& parents,
                                      const std::vector<mirror::SliceFacts>& known, const std::set<std::string>& again,
                                      Instant now)
{
    const auto is_due = [&](const std::string& parent, const mirror::SliceFacts* facts) {
        return facts == nullptr || again.contains(parent) || (!facts->asked_at && facts->why.empty());
    };
    auto choices = choose(parents, by_name(known), now, is_due);
    for (auto& choice : choices) {
        // A later walk for changes may have brought the row that the whole walk and its repetition both missed.
        choice.repeats = !choice.faulty && again.contains(choice.parent) && choice.as_of.has_value();
    }
    return choices;
}

void put_behind(std::vector<ListChoice>& lists, const std::set<std::string>& failed)
{
    for (auto& list : lists) {
        list.faulty = list.faulty || failed.contains(list.parent);
    }
    std::stable_sort(lists.begin(), lists.end(), [](const auto& a, const auto& b) { return a.faulty < b.faulty; });
}

}  // namespace shelfd::sync
