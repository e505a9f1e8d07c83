#include "mirror/records/departed_rows.hpp"

#include "mirror/file/schema.hpp"
#include "mirror/records/row_state_sql.hpp"
#include "mirror/values/names.hpp"
#include "storage/query.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace shelfd::mirror {

Result<std::int64_t> next_proof(storage::Database& database, const std::string& resource)
{
    return storage::read_number(database, "SELECT 1 + coalesce(max(proof_number), 0) FROM _slices WHERE resource = ?",
                                resource);
}

std::int64_t lowest_proof(const std::vector<SliceFacts>& slices, std::int64_t from, std::int64_t to)
{
    struct Bound {
        std::int64_t place;
        bool begins;
        std::int64_t number;
    };
    std::vector<Bound> bounds;
    for (const auto& slice : slices) {
        if (slice.proven_as_of && slice.past > from && slice.first < to) {
            bounds.push_back({std::max(slice.first, from), true, slice.proof_number});
            bounds.push_back({std::min(slice.past, to), false, slice.proof_number});
        }
    }
    std::sort(bounds.begin(), bounds.end(), [](const Bound& a, const Bound& b) { return a.place < b.place; });
    std::multiset<std::int64_t> open;
    std::int64_t reached = from;
    std::int64_t lowest = INT64_MAX;
    for (const auto& bound : bounds) {
        if (bound.place > reached) {
            lowest = std::min(lowest, open.empty() ? 0 : *open.rbegin());
            reached = bound.place;
        }
        if (bound.begins) {
            open.insert(bound.number);
        } else if (const auto closed = open.find(bound.number); closed != open.end()) {
            open.erase(closed);
        }
    }
    return reached < to || lowest == INT64_MAX ? 0 : lowest;
}

Result<std::int64_t> lowest_proof(storage::Database& database, const std::string& resource, const Slice& walked,
                                  std::int64_t number, Instant now)
{
    SHELFD_TRY_ASSIGN(slices, load_slices(database, resource));
    SHELFD_TRY_ASSIGN(begins, beginning_of(database, resource));
    if (number > 0) {
        SliceFacts own;
        own.first = walked.first;
        own.past = walked.past;
        own.proven_as_of = now;
        own.proof_number = number;
        slices.push_back(std::move(own));
    }
    if (slices.empty()) {
        return 0;
    }
    const auto first =
        std::min_element(slices.begin(), slices.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    return lowest_proof(slices, begins ? begins->seconds() : first->first, behind_all);
}

Result<std::int64_t> departed_to(storage::Database& database, const std::string& resource, std::int64_t place,
                                 std::int64_t number)
{
    SHELFD_TRY_ASSIGN(known, has_slice(database, resource, place));
    SHELFD_TRY_ASSIGN(begins, beginning_of(database, resource));
    if (begins && place < begins->seconds()) {
        return missed_and_denied;  // no walk would keep it up to date there
    }
    SHELFD_TRY(doubt_slices(database, resource, place));
    return (known ? missed_and_moved : missed_but_elsewhere) + number;
}

Result<bool> has_candidates(storage::Database& database, const std::string& resource)
{
    SHELFD_TRY_ASSIGN(there, has_table(database, state_name(resource)));
    if (!there) {
        return false;
    }
    SHELFD_TRY_ASSIGN(
        found, storage::read_number(database, fmt::format("SELECT EXISTS (SELECT 1 FROM {} WHERE missed <> 0 AND "
                                                          "missed = 1)",
                                                          identifier(state_name(resource)))));
    return found != 0;
}

Result<std::int64_t> newest_departure(storage::Database& database, const std::string& resource)
{
    SHELFD_TRY_ASSIGN(there, has_table(database, state_name(resource)));
    if (!there) {
        return 0;
    }
    SHELFD_TRY_ASSIGN(newest,
                      storage::read_number(database, fmt::format("SELECT coalesce(max(missed), 0) FROM {} WHERE "
                                                                 "missed <> 0 AND missed > {} AND missed < {}",
                                                                 identifier(state_name(resource)), missed_since,
                                                                 missed_but_elsewhere)));
    return newest == 0 ? 0 : newest - missed_since;
}

Result<std::int64_t> newest_move(storage::Database& database, const std::string& resource)
{
    SHELFD_TRY_ASSIGN(there, has_table(database, state_name(resource)));
    if (!there) {
        return 0;
    }
    constexpr auto number = missed_but_elsewhere - 1;  // as bits
    return storage::read_number(database,
                                fmt::format("SELECT coalesce(max(missed & {}), 0) FROM {} WHERE missed <> 0 AND "
                                            "missed >= {}",
                                            number, identifier(state_name(resource)), missed_but_elsewhere));
}

Result<bool> may_be_outside(storage::Database& database, const std::string& resource)
{
    SHELFD_TRY_ASSIGN(there, has_table(database, state_name(resource)));
    if (!there) {
        return false;
    }
    SHELFD_TRY_ASSIGN(
        found,
        storage::read_number(database, fmt::format("SELECT EXISTS (SELECT 1 FROM {} WHERE missed <> 0 AND "
                                                   "missed > {} AND missed < {})",
                                                   identifier(state_name(resource)), missed_since, missed_and_moved)));
    return found != 0;
}

Result<void> record_departed(storage::Database& database, const ResourceFacts& facts, bool any)
{
    std::int64_t departed = 0;
    if (any) {
        SHELFD_TRY_ASSIGN(
            counted,
            storage::read_number(database, fmt::format("SELECT count(*) FROM {} WHERE missed <> 0 AND missed > {}",
                                                       states_of(facts), missed_since)));
        departed = counted;
    }
    return storage::run(database,
                        "UPDATE _resources SET departed = ?2 WHERE resource = ?1 AND coalesce(departed, 0) <> ?2",
                        facts.name, departed);
}

}  // namespace shelfd::mirror
