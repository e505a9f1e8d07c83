#include "mirror/details/details.hpp"
#include "mirror/file/schema.hpp"
#include "mirror/lists/parents.hpp"
#include "mirror/lists/rounds.hpp"
#include "mirror/mirror.hpp"
#include "mirror/mirror_parts.hpp"
#include "mirror/records/resource.hpp"
#include "mirror/records/slices.hpp"

#include <fmt/format.h>

namespace shelfd::mirror {

Result<std::vector<SliceFacts>> Mirror::slices(const std::string& resource)
{
    return parts_->with_file([&](storage::Database& database) { return load_slices(database, resource); });
}

Result<ParentRows> Mirror::parent_rows(const std::string& resource, const std::string& member)
{
    return parts_->with_file(
        [&](storage::Database& database) { return mirror::parent_rows(database, resource, member); });
}

Result<std::uint64_t> Mirror::drop_other_lists(const std::string& resource, const ParentRows& parents,
                                               const PassStart& start)
{
    return parts_->in_transaction([&](storage::Database& database) -> Result<std::uint64_t> {
        SHELFD_TRY_ASSIGN(facts, parts_->facts_to_change(resource));
        const ListsKept kept{parents, start, parts_->options.deletion_limits, parts_->options.clock.now()};
        return mirror::drop_other_lists(database, facts, parts_->spec_of(resource), kept);
    });
}

Result<std::optional<Instant>> Mirror::round_at(const std::string& resource)
{
    auto text = parts_->with_file([&](storage::Database& database) {
        return read_value(database, "SELECT round_at FROM _resources WHERE resource = ?", resource);
    });
    if (!text) {
        return std::move(text).error();
    }
    return *text ? Instant::from_rfc3339(**text) : std::nullopt;
}

Result<void> Mirror::begin_round(const std::string& resource, Instant at)
{
    return parts_->with_sound_file([&](storage::Database& database) -> Result<void> {
        SHELFD_TRY_ASSIGN(
            update, database.prepare(  // What kept a first round from beginning does so no more.
                        "UPDATE _resources SET round_at = ?2, error = CASE WHEN as_of IS NULL THEN NULL ELSE error END "
                        "WHERE resource = ?1"));
        const auto text = at.to_text();
        update.bind(1, std::string_view(resource)).bind(2, std::string_view(text));
        return update.run();
    });
}

Result<void> Mirror::record_failed_lists(const std::string& resource, std::span<const MissedList> missed,
                                         const RunRecord& run)
{
    return parts_->in_transaction([&](storage::Database& database) -> Result<void> {
        for (const auto& list : missed) {
            SHELFD_TRY(record_missed(database, resource, list));
        }
        return record_run_so_far(database, run);
    });
}

Result<ListsStanding> Mirror::end_round(const std::string& resource, const RoundEnd& end)
{
    return parts_->in_transaction([&](storage::Database& database) -> Result<ListsStanding> {
        auto lists = standing(database, resource, end.parents);
        if (!lists) {
            return lists;
        }
        const auto now = parts_->options.clock.now();
        auto saved = save_round(database, resource, *lists, end, now);
        if (saved) {
            saved = record_details(database, resource, parts_->spec_of(resource).key.size(), now);
        }
        return saved ? std::move(lists) : std::move(saved).error();
    });
}

}  // namespace shelfd::mirror
