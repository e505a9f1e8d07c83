#include "mirror/declare/source_change.hpp"

#include "mirror/deletions/row_deletions.hpp"
#include "mirror/file/schema.hpp"
#include "mirror/staging/tables.hpp"
#include "mirror/values/details.hpp"
#include "mirror/values/names.hpp"
#include "storage/query.hpp"

#include <fmt/format.h>

namespace shelfd::mirror {

namespace {

// A row from the former list has one witness against it: it is deleted if the first proven walk of the new list does
// not meet it, unless its own address says that it is there. Held rows still wait for a person.
Result<void> mark_former(storage::Database& database, const std::string& resource)
{
    SHELFD_TRY_ASSIGN(known, has_table(database, state_name(resource)));
    if (!known) {
        return {};
    }
    SHELFD_TRY(database.execute(fmt::format("UPDATE {} SET missed = {} WHERE missed >= 0",
                                            identifier(state_name(resource)), needed_passes - 1)));
    return storage::run(database, "UPDATE _resources SET candidates = rows WHERE resource = ?", resource);
}

// Forgets the age and completeness of the table.
Result<void> forget_list(storage::Database& database, const std::string& resource)
{
    SHELFD_TRY(mark_former(database, resource));
    SHELFD_TRY(storage::run(database, R"sql(
        UPDATE _resources SET envelope = NULL, ordering = NULL, looked_at = NULL, filter = NULL, filter_tried_at = NULL,
            suspect_key = NULL, suspect_date = NULL, further = NULL, whole_rows = NULL, further_tried_at = NULL,
            place_form = NULL, unproven = NULL, changes_from = NULL, key_set = NULL, proven_as_of = NULL,
            complete_from = NULL, complete_to = NULL, filled_from = NULL, round_at = NULL, as_of = NULL, late_at = NULL,
            run_id = NULL
        WHERE resource = ?
    )sql",
                            resource));
    return storage::run(database, R"sql(
        UPDATE _slices SET as_of = NULL, proven_as_of = NULL, proof_run = NULL, key_set = '', asked_at = NULL,
            whole_at = NULL, changes_from = NULL, why = NULL, trouble = NULL
        WHERE resource = ?
    )sql",
                        resource);
}

Result<void> forget_filter(storage::Database& database, const std::string& resource)
{
    return storage::run(database,
                        "UPDATE _resources SET filter = NULL, filter_tried_at = NULL, suspect_key = NULL, suspect_date "
                        "= NULL WHERE resource = ?",
                        resource);
}

// Details from the former address stay, with their age, until the new address has answered. They precede rows that were
// never fetched, oldest first.
Result<void> ask_details_again(storage::Database& database, const std::string& list, Instant now)
{
    SHELFD_TRY_ASSIGN(detailed, has_table(database, queue_name(list)));
    if (!detailed) {
        return {};
    }
    const auto sql = fmt::format(
        "UPDATE {} SET rank = {}, at = coalesce(fetched_at, ?), tries = 0, why = NULL WHERE rank <> {}",
        identifier(queue_name(list)), static_cast<int>(DetailRank::never), static_cast<int>(DetailRank::changed));
    return storage::run(database, sql, now.to_text());
}

Result<void> note(storage::Database& database, const ResourceSpec& spec)
{
    return storage::run(database, R"sql(
        UPDATE _resources SET source = ?2, filter_source = ?3
        WHERE resource = ?1 AND (source IS NOT ?2 OR filter_source IS NOT ?3)
    )sql",
                        spec.name, spec.source, spec.filter);
}

}  // namespace

Result<void> follow_source(storage::Database& database, const ResourceSpec& spec, Instant now,
                           std::optional<std::string>& notice)
{
    SHELFD_TRY_ASSIGN(row, database.prepare("SELECT source, filter_source FROM _resources WHERE resource = ?"));
    row.bind(1, std::string_view(spec.name));
    SHELFD_TRY_ASSIGN(found, row.step());
    const bool other_list = found && !row.is_null(0) && row.text(0) != spec.source;
    const bool other_filter = found && !row.is_null(1) && row.text(1) != spec.filter;
    row.reset();
    if (other_list && spec.detail_of.empty()) {
        SHELFD_TRY(forget_list(database, spec.name));
        notice = fmt::format("{} mirrors another list than before (`path`, `params`, `answers` or the parameters of "
                             "`window`): its rows stay until the whole new list has been walked",
                             spec.name);
    } else if (other_list) {
        SHELFD_TRY(ask_details_again(database, spec.detail_of, now));
        notice = fmt::format("the details of {} have another address than before: all of them are fetched again",
                             spec.detail_of);
    } else if (other_filter) {
        SHELFD_TRY(forget_filter(database, spec.name));
    }
    return note(database, spec);
}

}  // namespace shelfd::mirror
