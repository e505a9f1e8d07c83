#include "mirror/declare/declaration.hpp"

#include "mirror/columns/columns.hpp"
#include "mirror/columns/key_sets.hpp"
#include "mirror/declare/reset_table.hpp"
#include "mirror/file/schema.hpp"
#include "mirror/json/instants.hpp"
#include "mirror/records/resource.hpp"
#include "mirror/records/slices.hpp"
#include "mirror/rows/deleted_rows.hpp"
#include "mirror/rows/untold.hpp"
#include "mirror/values/names.hpp"
#include "storage/query.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace shelfd::mirror {

namespace {

Result<std::vector<std::string>> excluded_now(storage::Database& database, const std::string& resource)
{
    SHELFD_TRY_ASSIGN(text, read_value(database, "SELECT exclude FROM _resources WHERE resource = ?", resource));
    return text ? read_keys(*text).value_or(std::vector<std::string>()) : std::vector<std::string>();
}

// True if more members are excluded than when the table was filled. Earlier versions did not accept a dot as part of a
// member's name, and stored such members.
Result<bool> excludes_more(storage::Database& database, const ResourceSpec& spec)
{
    SHELFD_TRY_ASSIGN(excluded, excluded_now(database, spec.name));
    for (const auto& path : spec.exclude) {
        SHELFD_TRY_ASSIGN(
            stored, storage::read_number(database, R"sql(SELECT 1 FROM _columns WHERE resource = ? AND "key" = ?)sql",
                                         spec.name, path));
        if (stored != 0 || std::find(excluded.begin(), excluded.end(), path) == excluded.end()) {
            return true;
        }
    }
    return false;
}

Result<void> make_line(storage::Database& database, const ResourceSpec& spec, Instant now)
{
    const auto word = [](const std::string& text) { return text.empty() ? std::nullopt : std::optional(text); };
    SHELFD_TRY(storage::run(database, R"sql(
        INSERT INTO _resources (resource, "key", retired, declared_at, rows, held, candidates, next_ordinal, detail_of,
            axis)
        VALUES (?, ?, 0, ?, 0, 0, 0, 0, ?, ?)
    )sql",
                            spec.name, write_keys(spec.key), now.to_text(), word(spec.detail_of), word(spec.axis)));
    return database.execute(Columns(spec.key).create_table_sql(spec.name, spec.detail_of));
}

// Readers of the feed lack the rows that this table kept while it was not configured.
Result<void> record_return(storage::Database& database, const ResourceSpec& spec)
{
    SHELFD_TRY_ASSIGN(returns,
                      read_value(database, "SELECT 1 FROM _resources WHERE resource = ? AND retired", spec.name));
    return returns && spec.changes != ChangeDetail::none ? record_untold(database, spec.name) : Result<void>();
}

Result<void> update_line(storage::Database& database, const ResourceSpec& spec)
{
    const auto exclude = spec.exclude.empty() ? std::nullopt : std::optional(write_keys(spec.exclude));
    return storage::run(database, R"sql(
        UPDATE _resources SET retired = 0, late_after = ?2, proven_late_after = ?3, exclude = ?4, begins_at = ?5,
            late_at = CASE WHEN late_after IS NOT ?2 THEN NULL ELSE late_at END -- said under another schedule
        WHERE resource = ?1 AND (retired OR late_after IS NOT ?2 OR proven_late_after IS NOT ?3
            OR exclude IS NOT ?4 OR begins_at IS NOT ?5)
    )sql",
                        spec.name, whole_seconds(spec.late_after), whole_seconds(spec.proven_late_after), exclude,
                        text_of(spec.begins_at));
}

}  // namespace

Result<void> declare_resource(storage::Database& database, const ResourceSpec& spec, Instant now,
                              std::optional<std::string>& notice, bool& scrubbed)
{
    SHELFD_TRY_ASSIGN(facts, load_facts(database, spec.name));
    if (facts && facts->key != spec.key) {
        SHELFD_TRY(reset_table(database, spec.name));
        notice = fmt::format("the key of {} changed: the table is filled again", spec.name);
        facts.reset();
    }
    if (facts && facts->axis != spec.axis) {
        SHELFD_TRY(reset_table(database, spec.name));
        notice = fmt::format("{} is divided into different slices than before: the table is filled again", spec.name);
        facts.reset();
    }
    SHELFD_TRY_ASSIGN(more, excludes_more(database, spec));
    if (facts && more) {
        SHELFD_TRY(scrub(database, spec.name));
        scrubbed = true;
        notice = fmt::format(
            "exclude of {} got more members: its rows and changes were wiped, the table is filled again", spec.name);
        facts.reset();
    }
    if (!facts) {
        SHELFD_TRY(make_line(database, spec, now));
    }
    if (spec.keep_deleted) {
        SHELFD_TRY(align_deleted(database, spec.name, spec.name));
    }
    SHELFD_TRY(record_return(database, spec));
    if (!spec.begins_at) {
        return update_line(database, spec);
    }
    SHELFD_TRY_ASSIGN(former, beginning_of(database, spec.name));
    SHELFD_TRY(update_line(database, spec));
    return move_beginning(database, spec.name, former, *spec.begins_at);
}

Result<void> retire_others(storage::Database& database, std::span<const ResourceSpec> specs)
{
    SHELFD_TRY_ASSIGN(names, storage::read_texts(database, "SELECT resource FROM _resources WHERE NOT retired"));
    for (const auto& name : names) {
        if (std::none_of(specs.begin(), specs.end(), [&](const auto& spec) { return spec.name == name; })) {
            SHELFD_TRY(storage::run(
                database,
                "UPDATE _resources SET retired = 1, blocked = NULL, why = NULL, since = NULL WHERE resource = ?",
                name));
        }
    }
    return {};
}

}  // namespace shelfd::mirror
