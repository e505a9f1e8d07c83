#include "mirror/declare/declaration.hpp"

#include "mirror/columns/columns.hpp"
#include "mirror/columns/key_sets.hpp"
#include "mirror/declare/reset_table.hpp"
#include "mirror/file/schema.hpp"
#include "mirror/records/resource.hpp"
#include "mirror/rows/deleted_rows.hpp"
#include "mirror/rows/untold.hpp"
#include "mirror/values/names.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace shelfd::mirror {

namespace {

void bind_optional(storage::Statement& statement, int parameter, std::optional<std::int64_t> value)
{
    if (value) {
        statement.bind(parameter, *value);
    } else {
        statement.bind_null(parameter);
    }
}

Result<std::vector<std::string>> excluded_now(storage::Database& database, const std::string& resource)
{
    auto text = read_value(database, "SELECT exclude FROM _resources WHERE resource = ?", resource);
    if (!text) {
        return std::move(text).error();
    }
    return *text ? read_keys(**text).value_or(std::vector<std::string>()) : std::vector<std::string>();
}

// Than the table was filled without. Earlier versions did not take a dot in the name of a member for part of it, and
// have stored such members.
Result<bool> excludes_more(storage::Database& database, const ResourceSpec& spec)
{
    const auto excluded = excluded_now(database, spec.name);
    auto column = database.prepare(R"sql(SELECT 1 FROM _columns WHERE resource = ? AND "key" = ?)sql");
    if (!excluded || !column) {
        return excluded ? std::move(column).error() : excluded.error();
    }
    for (const auto& path : spec.exclude) {
        column->reset();
        column->bind(1, std::string_view(spec.name)).bind(2, std::string_view(path));
        auto stored = column->step();
        if (!stored || *stored || std::find(excluded->begin(), excluded->end(), path) == excluded->end()) {
            return stored ? Result<bool>(true) : std::move(stored);
        }
    }
    return false;
}

Result<void> make_line(storage::Database& database, const ResourceSpec& spec, Instant now)
{
    SHELFD_TRY_ASSIGN(insert, database.prepare(R"sql(
        INSERT INTO _resources (resource, "key", retired, declared_at, rows, held, candidates, next_ordinal, detail_of,
            axis)
        VALUES (?, ?, 0, ?, 0, 0, 0, 0, ?, ?)
    )sql"));
    const auto key = write_keys(spec.key);
    const auto at = now.to_text();
    const auto detail_of = spec.detail_of.empty() ? std::nullopt : std::optional(spec.detail_of);
    insert.bind(1, std::string_view(spec.name)).bind(2, std::string_view(key)).bind(3, std::string_view(at));
    insert.bind(4, detail_of);
    const auto axis = spec.axis.empty() ? std::nullopt : std::optional(spec.axis);
    insert.bind(5, axis);
    SHELFD_TRY(insert.run());
    return database.execute(
        fmt::format("CREATE TABLE {} ({})", identifier(spec.name), Columns(spec.key).definition(spec.detail_of)));
}

// Whoever read the tables while this one was not configured does not have the rows that it kept.
Result<void> record_return(storage::Database& database, const ResourceSpec& spec)
{
    const auto returns = read_value(database, "SELECT 1 FROM _resources WHERE resource = ? AND retired", spec.name);
    if (!returns) {
        return returns.error();
    }
    return *returns && spec.changes != ChangeDetail::none ? record_untold(database, spec.name) : Result<void>();
}

Result<void> update_line(storage::Database& database, const ResourceSpec& spec)
{
    SHELFD_TRY_ASSIGN(update, database.prepare(R"sql(
        UPDATE _resources SET retired = 0, late_after = ?2, proven_late_after = ?3, exclude = ?4, begins_at = ?5,
            late_at = CASE WHEN late_after IS NOT ?2 THEN NULL ELSE late_at END -- said under another schedule
        WHERE resource = ?1 AND (retired OR late_after IS NOT ?2 OR proven_late_after IS NOT ?3
            OR exclude IS NOT ?4 OR begins_at IS NOT ?5)
    )sql"));
    update.bind(1, std::string_view(spec.name));
    bind_optional(update, 2, whole_seconds(spec.late_after));
    bind_optional(update, 3, whole_seconds(spec.proven_late_after));
    const auto exclude = spec.exclude.empty() ? std::nullopt : std::optional(write_keys(spec.exclude));
    const auto begins = spec.begins_at ? std::optional(spec.begins_at->to_text()) : std::nullopt;
    update.bind(4, exclude).bind(5, begins);
    return update.run();
}

}  // namespace

Result<void> declare_resource(storage::Database& database, const ResourceSpec& spec, Instant now,
                              std::optional<std::string>& notice, bool& scrubbed)
{
    SHELFD_TRY_ASSIGN(facts, load_facts(database, spec.name));
    if (facts && facts->key != spec.key) {
        SHELFD_TRY(reset_table(database, spec.name));
        notice = fmt::format("the key of {} changed: its table is filled anew", spec.name);
        facts.reset();
    }
    if (facts && facts->axis != spec.axis) {
        SHELFD_TRY(reset_table(database, spec.name));
        notice = fmt::format("{} is walked in other parts than before: its table is filled anew", spec.name);
        facts.reset();
    }
    SHELFD_TRY_ASSIGN(more, excludes_more(database, spec));
    if (facts && more) {
        SHELFD_TRY(scrub(database, spec.name));
        scrubbed = true;
        notice =
            fmt::format("more of {} is excluded: its rows and changes were wiped, the table is filled anew", spec.name);
        facts.reset();
    }
    if (!facts) {
        SHELFD_TRY(make_line(database, spec, now));
    }
    if (spec.keep_deleted) {
        SHELFD_TRY(align_deleted(database, spec.name, spec.name));
    }
    auto noted = record_return(database, spec);
    return noted ? update_line(database, spec) : std::move(noted);
}

Result<void> retire_others(storage::Database& database, std::span<const ResourceSpec> specs)
{
    auto names = database.prepare("SELECT resource FROM _resources WHERE NOT retired");
    auto retire = database.prepare("UPDATE _resources SET retired = 1 WHERE resource = ?");
    if (!names || !retire) {
        return names ? std::move(retire).error() : std::move(names).error();
    }
    std::vector<std::string> gone;
    for (;;) {
        SHELFD_TRY_ASSIGN(row, names->step());
        if (!row) {
            break;
        }
        const auto name = names->text(0);
        if (std::none_of(specs.begin(), specs.end(), [&](const auto& spec) { return spec.name == name; })) {
            gone.emplace_back(name);
        }
    }
    for (const auto& name : gone) {
        retire->bind(1, std::string_view(name));
        SHELFD_TRY(retire->run());
    }
    return {};
}

}  // namespace shelfd::mirror
