#include "mirror/details/details.hpp"
#include "mirror/file/schema.hpp"
#include "mirror/json/item_key.hpp"
#include "mirror/lists/parents.hpp"
#include "mirror/lists/rounds.hpp"
#include "mirror/mirror.hpp"
#include "mirror/mirror_contents.hpp"
#include "mirror/records/departed_rows.hpp"
#include "mirror/records/resource.hpp"
#include "mirror/records/row_state_sql.hpp"
#include "mirror/records/slices.hpp"
#include "storage/query.hpp"

#include <fmt/format.h>

namespace shelfd::mirror {

Result<std::vector<SliceFacts>> Mirror::slices(const std::string& resource)
{
    return contents_->file.with_file([&](storage::Database& database) { return load_slices(database, resource); });
}

// Not for rows that their own address places in a window that was walked: that one is walked again, and no other.
Result<bool> Mirror::has_departed(const std::string& resource)
{
    return contents_->file.with_file([&](storage::Database& database) -> Result<bool> {
        SHELFD_TRY_ASSIGN(
            found, read_value(database, "SELECT 1 FROM _resources WHERE resource = ? AND departed > 0", resource));
        return found ? may_be_outside(database, resource) : Result<bool>(false);
    });
}

Result<void> Mirror::record_trouble(const std::string& resource, const std::vector<SliceTrouble>& windows)
{
    return contents_->file.in_transaction([&](storage::Database& database) -> Result<void> {
        for (const auto& window : windows) {
            SHELFD_TRY(mirror::record_trouble(database, resource, window));
        }
        return {};
    });
}

Result<bool> Mirror::is_missing(const std::string& resource, const std::string& key)
{
    return contents_->file.with_file([&](storage::Database& database) -> Result<bool> {
        SHELFD_TRY_ASSIGN(facts, load_facts(database, resource));
        const auto parsed = read_key(key);
        if (!facts || !parsed || parsed->size() != facts->key.size()) {
            return true;
        }
        SHELFD_TRY_ASSIGN(
            state, database.prepare(fmt::format("SELECT 1 FROM {} WHERE ({}) = ({}) AND missed = 0", states_of(*facts),
                                                key_list(parsed->size(), "k{}"), key_list(parsed->size(), "?{}"))));
        parsed->bind(state, 1);
        SHELFD_TRY_ASSIGN(row, state.step());
        return !row;
    });
}

Result<ParentRows> Mirror::parent_rows(const std::string& resource, const std::string& member)
{
    return contents_->file.with_file(
        [&](storage::Database& database) { return mirror::parent_rows(database, resource, member); });
}

Result<std::uint64_t> Mirror::drop_other_lists(const std::string& resource, const ParentRows& parents,
                                               const PassStart& start)
{
    return contents_->file.in_transaction([&](storage::Database& database) -> Result<std::uint64_t> {
        SHELFD_TRY_ASSIGN(facts, contents_->facts_to_change(database, resource));
        const ListsKept kept{parents, start, contents_->options.deletion_limits, contents_->options.clock.now()};
        return mirror::drop_other_lists(database, facts, contents_->tables.spec_of(resource), kept);
    });
}

Result<std::optional<Instant>> Mirror::round_at(const std::string& resource)
{
    SHELFD_TRY_ASSIGN(text, contents_->file.with_file([&](storage::Database& database) {
        return read_value(database, "SELECT round_at FROM _resources WHERE resource = ?", resource);
    }));
    return text ? Instant::from_rfc3339(*text) : std::nullopt;
}

Result<void> Mirror::begin_round(const std::string& resource, Instant at)
{
    return contents_->file.with_sound_file([&](storage::Database& database) {
        // The error that prevented a first round is out of date.
        return storage::run(database,
                            "UPDATE _resources SET round_at = ?2, error = CASE WHEN as_of IS NULL THEN NULL ELSE error "
                            "END WHERE resource = ?1",
                            resource, at.to_text());
    });
}

Result<void> Mirror::record_failed_lists(const std::string& resource, std::span<const MissedList> missed,
                                         const RunRecord& run)
{
    return contents_->file.in_transaction([&](storage::Database& database) -> Result<void> {
        for (const auto& list : missed) {
            SHELFD_TRY(record_missed(database, resource, list));
        }
        return record_run_so_far(database, run);
    });
}

Result<ListsStanding> Mirror::end_round(const std::string& resource, const RoundEnd& end)
{
    return contents_->file.in_transaction([&](storage::Database& database) -> Result<ListsStanding> {
        SHELFD_TRY_ASSIGN(lists, standing(database, resource, end.parents));
        const auto now = contents_->options.clock.now();
        SHELFD_TRY(save_round(database, resource, lists, end, now));
        SHELFD_TRY(record_details(database, resource, contents_->tables.spec_of(resource).key.size(), now));
        return std::move(lists);
    });
}

}  // namespace shelfd::mirror
