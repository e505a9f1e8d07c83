#include "mirror/mirror_parts.hpp"

#include "mirror/declare/declaration.hpp"

#include "mirror/declare/former_file.hpp"
#include "mirror/declare/source_change.hpp"
#include "mirror/details/details.hpp"
#include "mirror/file/kept_pages.hpp"
#include "mirror/file/paths.hpp"
#include "mirror/file/schema.hpp"
#include "mirror/pass_parts.hpp"
#include "mirror/records/resource.hpp"
#include "mirror/rows/change_feed.hpp"
#include "mirror/staging/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace shelfd::mirror {

namespace {

// What became of the tables that were declared.
struct DeclaredTables {
    std::set<std::string> as_before = {};  // nothing had to go
    std::string notice = {};               // of the others; "": there are none
    bool scrubbed = false;                 // members are to be seen nowhere any more
};

Result<void> declare_table(storage::Database& database, const ResourceSpec& spec, Instant now, DeclaredTables& tables)
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

// The pages of walks that nobody goes on with, and copies with members that are excluded now. They go before it is
// committed that these are excluded: the next start would find nothing new in that, and leave them there for ever. What
// went in vain, where the commit fails, is made anew.
Result<void> remove_outdated_files(const std::string& file, const DeclaredTables& tables)
{
    auto removed = remove_page_records(file, tables.as_before);
    return removed && tables.scrubbed ? remove_copies(file) : std::move(removed);
}

}  // namespace

Result<void> Mirror::Parts::stay_with_file()
{
    if (!in_use || !passes.empty()) {
        return {};
    }
    SHELFD_TRY_ASSIGN(there, identity_of(file));
    if (there == in_use) {
        auto stayed = stay_with_writing();
        return stayed ? stay_with_side_files() : std::move(stayed);
    }
    known_sound = false;
    database.reset();
    if (there) {
        // The WAL of the file that was there would be played into the one that is there now.
        SHELFD_TRY(remove_wal(file, wal_in_use));
        return replace("was replaced by another file");
    }
    begin_anew();
    record_repair(fmt::format("was removed from {}", options.directory), "");
    return {};
}

// Nobody but us writes the file itself. Where somebody did, our own cache of it would hide the damage from us alone.
Result<void> Mirror::Parts::stay_with_writing()
{
    auto now = writing_of(file);
    if (!now || !written || *now == *written) {
        return now ? Result<void>() : std::move(now).error();
    }
    if (database) {
        if (auto at = position()) {
            left_at = *at;
        }
        database.reset();
    }
    suspect = true;
    looked_over.clear();
    return {};
}

void Mirror::Parts::record_writing()
{
    if (passes.empty() && in_use) {
        auto now = writing_of(file);
        written = now ? std::optional(*now) : std::nullopt;
    }
}

// Without its -wal and -shm by name no reader finds what we write. A foreign program that closed the file as the last
// one removes them while we rest; while we do not, only somebody's `rm` does.
Result<void> Mirror::Parts::stay_with_side_files()
{
    if (!database) {
        return {};
    }
    auto wal = identity_of(file + "-wal");
    auto shm = identity_of(file + "-shm");
    if (!wal || !shm) {
        return wal ? std::move(shm).error() : std::move(wal).error();
    }
    // Gone now and gone when the file was opened: they went in between.
    if (*wal && *shm && *wal == wal_in_use && *shm == shm_in_use) {
        return {};
    }
    // What the nameless one holds goes into the file first; where a reader is in the way, with the next call.
    SHELFD_TRY_ASSIGN(whole, database->checkpoint(storage::CheckpointMode::passive));
    if (whole) {
        database.reset();
    }
    return {};
}

Result<ContentHash> Mirror::Parts::position()
{
    SHELFD_TRY_ASSIGN(
        found, database->prepare("SELECT coalesce((SELECT value FROM _meta WHERE key = 'feed'), '') || ' ' || "
                                 "coalesce((SELECT seq FROM sqlite_sequence WHERE name = '_changes'), 0) || ' ' || "
                                 "coalesce((SELECT run_id FROM _runs ORDER BY rowid DESC LIMIT 1), '')"));
    SHELFD_TRY(found.step());
    return content_hash(found.text(0), 5);
}

// A file that was overwritten in place keeps its name and number, and says that it is somewhere else.
Result<void> Mirror::Parts::stay_with_content()
{
    const auto left = std::exchange(left_at, std::nullopt);
    if (!left) {
        return {};
    }
    auto found = position();
    if (!found) {
        return std::move(found).error();
    }
    return *found == *left ? Result<void>() : replace("was replaced by another file");
}

Result<void> Mirror::Parts::declare_again()
{
    if (!undeclared) {
        return keep_repairs();
    }
    auto declared = declare(specs);
    undeclared = !declared;
    return declared ? keep_repairs() : std::move(declared);
}

Result<void> Mirror::Parts::open_file()
{
    SHELFD_TRY(prepare_files(options.directory, file));
    SHELFD_TRY_ASSIGN(opened, storage::Database::open(file, storage::OpenMode::read_write_create));
    auto& connected = opened;
    SHELFD_TRY_ASSIGN(found, find_schema(connected));
    if (found == SchemaFound::newer) {
        return Error(
            ErrorKind::usage,
            fmt::format("{} was made by a newer shelfd; it stays untouched. Install that version again", file));
    }
    if (found == SchemaFound::foreign) {
        return Error(ErrorKind::usage, fmt::format("{} is a database, but no mirror; move it away", file));
    }
    if (found == SchemaFound::none) {
        const Instant now = options.clock.now();
        if (auto made = create_schema(connected, options.library, feed_name(), now.to_text()); !made) {
            return std::move(made).error().in(fmt::format("cannot make the mirror {}", file));
        }
    }
    auto identity = identity_of(file);
    auto wal = identity_of(file + "-wal");
    auto shm = identity_of(file + "-shm");
    if (!identity || !wal || !shm) {
        return !identity ? std::move(identity).error() : !wal ? std::move(wal).error() : std::move(shm).error();
    }
    in_use = *identity;
    wal_in_use = *wal;
    shm_in_use = *shm;
    database.take(std::move(connected));
    secured.reset();
    others_version.reset();
    SHELFD_TRY(is_written_by_others());
    return {};
}

Result<ResourceFacts> Mirror::Parts::facts_to_change(const std::string& resource)
{
    if (passes.contains(resource)) {
        return Error(ErrorKind::busy,
                     fmt::format("a pass over {} is under way; try again when it has ended", resource));
    }
    SHELFD_TRY_ASSIGN(facts, load_facts(*database, resource));
    if (!facts) {
        return Error(ErrorKind::not_found, fmt::format("the mirror has no table {}", resource));
    }
    return std::move(*facts);
}

Result<void> Mirror::Parts::declare(std::span<const ResourceSpec> resources)
{
    SHELFD_TRY_ASSIGN(transaction, storage::Transaction::begin(*database));
    if (auto updated = update_schema(*database); !updated) {
        return std::move(updated).error().in(fmt::format("cannot bring {} up to date", file));
    }
    DeclaredTables tables;
    for (const auto& spec : resources) {
        if (auto declared = declare_table(*database, spec, options.clock.now(), tables); !declared) {
            return std::move(declared).error().in(fmt::format("cannot make the table {}", spec.name));
        }
    }
    SHELFD_TRY(copy_deleted_rows(*database, resources));
    SHELFD_TRY(remove_outdated_files(file, tables));
    SHELFD_TRY(renew_feed(resources, tables.as_before.size()));
    SHELFD_TRY(retire_others(*database, resources));
    if (passes.empty()) {
        // A crash left them, and the room they take is wanted before the next pass, if there is one.
        SHELFD_TRY(drop_all_staging(*database));
    }
    SHELFD_TRY(transaction.commit());
    if (!tables.notice.empty()) {
        notice = notice ? *notice + "; " + tables.notice : tables.notice;
    }
    if (notice) {
        // What was wiped leaves the WAL, too; where a reader is in the way, with the next idle minute.
        (void)database->checkpoint(storage::CheckpointMode::truncate);
    }
    return {};
}

// What changed between the last pass and the filling anew is in no feed, nor is what changed while nothing was written
// to it: its readers must look at the tables.
Result<void> Mirror::Parts::renew_feed(std::span<const ResourceSpec> resources, std::size_t as_before)
{
    auto missing = record_unwritten(*database, resources);
    if (!missing) {
        return std::move(missing).error();
    }
    return *missing || as_before < resources.size() ? write_meta(*database, "feed", feed_name()) : Result<void>();
}

std::string Mirror::Parts::feed_name() const
{
    return fmt::format("{:x}", options.clock.now().micros());
}

ResourceSpec Mirror::Parts::spec_of(const std::string& resource) const
{
    const auto found =
        std::find_if(specs.begin(), specs.end(), [&](const ResourceSpec& known) { return known.name == resource; });
    return found == specs.end() ? ResourceSpec{.name = resource} : *found;
}

}  // namespace shelfd::mirror
