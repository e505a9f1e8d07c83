#include "mirror/declare/declared_tables.hpp"

#include "mirror/declare/declaration.hpp"
#include "mirror/declare/former_file.hpp"
#include "mirror/declare/source_change.hpp"
#include "mirror/details/details.hpp"
#include "mirror/file/kept_pages.hpp"
#include "mirror/file/paths.hpp"
#include "mirror/file/schema.hpp"
#include "mirror/records/resource.hpp"
#include "mirror/rows/change_feed.hpp"
#include "mirror/staging/tables.hpp"
#include "mirror/values/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>

namespace shelfd::mirror {

namespace {

// The table of the list's details.
ResourceSpec details_of(const ResourceSpec& list)
{
    return {.name = detail_name(list.name),
            .key = list.key,
            .late_after = list.detail->refresh_within,
            .changes = list.changes,
            .exclude = list.exclude,
            .detail_of = list.name,
            .source = list.detail->source};
}

// Result of creating the declared tables.
struct Outcome {
    std::set<std::string> as_before = {};  // tables that lost no rows
    std::string notice = {};               // about the others; "" = none
    bool scrubbed = false;                 // no trace of excluded members may remain
};

Result<void> make_table(storage::Database& database, const ResourceSpec& spec, Instant now, Outcome& tables)
{
    std::optional<std::string> said;
    SHELFD_TRY(declare_resource(database, spec, now, said, tables.scrubbed));
    SHELFD_TRY(follow_source(database, spec, now, said));
    if (said) {
        tables.notice += (tables.notice.empty() ? "" : "; ") + *said;
    } else {
        tables.as_before.insert(spec.name);
    }
    if (spec.detail_of.empty()) {
        return {};
    }
    SHELFD_TRY_ASSIGN(list, load_facts(database, spec.detail_of));
    return declare_details(database, *list, now);
}

// Removes pages of walks that cannot be continued, and copies with newly excluded members. Must happen before the
// exclusion is committed: otherwise the next start would not detect the change, and keep the copies for ever. If the
// commit fails, they are created again.
Result<void> remove_outdated_files(const std::string& file, const Outcome& tables)
{
    SHELFD_TRY(remove_page_records(file, tables.as_before));
    return tables.scrubbed ? remove_copies(file) : Result<void>();
}

// Changes between the last pass and the refill are not in the feed, nor are those of a time without writing to it: a
// new feed name tells its readers to read the tables.
Result<void> renew_feed(storage::Database& database, std::span<const ResourceSpec> specs, const Outcome& tables,
                        Instant now)
{
    SHELFD_TRY_ASSIGN(missing, record_unwritten(database, specs));
    const bool goes_on = !missing && tables.as_before.size() >= specs.size();
    return goes_on ? Result<void>() : write_meta(database, "feed", feed_name(now));
}

}  // namespace

Result<void> DeclaredTables::set(std::vector<ResourceSpec> resources)
{
    for (const auto& spec : resources) {
        if (spec.key.empty() || spec.name.empty() || spec.name.starts_with("_") || spec.name.starts_with("sqlite_") ||
            spec.name == "freshness") {
            return Error(ErrorKind::usage, fmt::format("\"{}\" cannot be a table name", spec.name));
        }
    }
    // In place: a worker's copy would lie between what it frees, and keep pages of its heap.
    for (std::size_t place = 0; place < resources.size(); ++place) {
        if (resources[place].detail) {
            auto details = details_of(resources[place]);
            resources.insert(resources.begin() + static_cast<std::ptrdiff_t>(++place), std::move(details));
        }
    }
    specs_ = std::move(resources);
    return {};
}

ResourceSpec DeclaredTables::spec_of(const std::string& resource) const
{
    const auto found =
        std::find_if(specs_.begin(), specs_.end(), [&](const ResourceSpec& known) { return known.name == resource; });
    return found == specs_.end() ? ResourceSpec{.name = resource} : *found;
}

Result<std::string> DeclaredTables::make(storage::Database& database) const
{
    SHELFD_TRY_ASSIGN(transaction, storage::Transaction::begin(database));
    if (auto updated = update_schema(database); !updated) {
        return std::move(updated).error().in(fmt::format("cannot bring {} up to date", database.path()));
    }
    Outcome tables;
    for (const auto& spec : specs_) {
        if (auto made = make_table(database, spec, clock_.now(), tables); !made) {
            return std::move(made).error().in(fmt::format("cannot create the table {}", spec.name));
        }
    }
    SHELFD_TRY(copy_deleted_rows(database, specs_));
    SHELFD_TRY(remove_outdated_files(database.path(), tables));
    SHELFD_TRY(renew_feed(database, specs_, tables, clock_.now()));
    SHELFD_TRY(retire_others(database, specs_));
    if (passes_.empty()) {
        // Left by a crash; the next pass may need the space, or never come.
        SHELFD_TRY(drop_all_staging(database));
    }
    SHELFD_TRY(transaction.commit());
    return std::move(tables.notice);
}

}  // namespace shelfd::mirror
