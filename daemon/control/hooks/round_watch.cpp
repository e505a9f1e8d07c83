#include "control/hooks/round_watch.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <tuple>

namespace shelfd::control {
namespace {

// FEED:LINE or FEED:LINE.LOAD.
std::tuple<std::string_view, std::uint64_t, std::uint64_t> parts_of(std::string_view position)
{
    const auto colon = std::min(position.find(':'), position.size());
    const auto number_after = [position](std::size_t at) {
        std::uint64_t number = 0;
        if (at < position.size()) {
            std::from_chars(position.data() + at + 1, position.data() + position.size(), number);
        }
        return number;
    };
    return {position.substr(0, colon), number_after(colon),
            number_after(std::min(position.find('.'), position.size()))};
}

// Tables were read one after the other: the last one read knows the newest position. A position of another feed is
// newer: the mirror was made anew.
void take_newer(std::string& position, const std::string& other)
{
    const auto mine = parts_of(position);
    const auto theirs = parts_of(other);
    if (!other.empty() && (std::get<0>(mine) != std::get<0>(theirs) || mine < theirs)) {
        position = other;
    }
}

// Those after the run `known`, which was seen.
void add_earlier(TableRounds& rounds, const std::vector<PublishedStatus::Round>& earlier, const std::string& known)
{
    for (const auto& one : earlier) {
        if (one.run_id == known) {
            return;
        }
        ++rounds.rounds;
        rounds.added += one.added;
        rounds.changed += one.changed;
        rounds.deleted += one.deleted;
    }
}

}  // namespace

std::optional<TableRounds> RoundWatch::rounds_of(const std::string& library, const ResourceStatus& table,
                                                 const Library& known)
{
    const auto& now = table.published;
    auto& totals = totals_[library];
    const auto seen = totals.find(table.name);
    // By this process, and the library was not opened again.
    const bool goes_on = seen != totals.end() && seen->second.since == now.since && seen->second.rounds <= now.rounds;
    const auto before = goes_on ? seen->second : PublishedStatus();
    totals[table.name] = now;
    const auto run = known.runs.find(table.name);
    if (run == known.runs.end() || now.run_id.empty() || run->second == now.run_id) {
        return std::nullopt;
    }
    TableRounds rounds{table.name,
                       now.run_id,
                       now.rounds - before.rounds,
                       table.rows,
                       now.added - before.added,
                       now.changed - before.changed,
                       now.deleted - before.deleted,
                       table.as_of};
    if (!goes_on) {
        add_earlier(rounds, now.earlier, run->second);
    }
    if (rounds.rounds == 0) {  // it ended longer before that
        rounds.rounds = 1;
        rounds.added = now.run_added;
        rounds.changed = now.run_changed;
        rounds.deleted = now.run_deleted;
    }
    return rounds.added + rounds.changed + rounds.deleted > 0 ? std::optional(std::move(rounds)) : std::nullopt;
}

std::vector<LibraryRounds> RoundWatch::compare(const Status& status)
{
    std::vector<LibraryRounds> found;
    Known known;
    for (const auto& library : status.libraries) {
        const auto& before = known_[library.name];
        auto& next = known[library.name];
        LibraryRounds rounds{library.name, library.origin, library.mirror, before.position, {}, {}};
        auto newest = before.position;
        for (const auto& table : library.resources) {
            if (table.detail) {
                continue;
            }
            if (auto one = rounds_of(library.name, table, before)) {
                rounds.tables.push_back(std::move(*one));
                take_newer(rounds.position, table.published.feed_position);
            }
            next.runs[table.name] = table.published.run_id;
            take_newer(newest, table.published.feed_position);
        }
        // Without a call the position stays, so that the next call begins where the last one ended.
        next.position = !rounds.tables.empty() ? rounds.position : before.position.empty() ? newest : before.position;
        if (!rounds.tables.empty()) {
            found.push_back(std::move(rounds));
        }
    }
    for (const auto& library : status.absent) {
        if (const auto before = known_.find(library); before != known_.end()) {
            known[library] = before->second;
        }
    }
    std::erase_if(totals_, [&known](const auto& one) { return !known.contains(one.first); });
    changed_ = changed_ || known != known_;
    known_ = std::move(known);
    return found;
}

void RoundWatch::forget()
{
    changed_ = changed_ || !known_.empty();
    known_.clear();
    totals_.clear();
}

}  // namespace shelfd::control
