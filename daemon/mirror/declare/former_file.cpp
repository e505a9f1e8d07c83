#include "mirror/declare/former_file.hpp"

#include "mirror/file/schema.hpp"
#include "mirror/rows/deleted_rows.hpp"

namespace shelfd::mirror {
namespace {

// Key in `_meta`: the file whose deleted rows were copied, or could not be.
constexpr std::string_view taken_over = "deleted_rows_from";

// Returns the facts of that file's table if it had the same key and exclusions: members excluded since then must not
// come back.
Result<std::optional<ResourceFacts>> same_table(storage::Database& database, storage::Database& before,
                                                const ResourceFacts& facts)
{
    auto old_facts = load_facts(before, facts.name);
    if (!old_facts || !*old_facts || (*old_facts)->key != facts.key) {
        return std::optional<ResourceFacts>();
    }
    constexpr std::string_view excluded = "SELECT coalesce(exclude, '[]') FROM _resources WHERE resource = ?";
    const auto old_excluded = read_value(before, excluded, facts.name);
    SHELFD_TRY_ASSIGN(now_excluded, read_value(database, excluded, facts.name));
    return old_excluded && *old_excluded == now_excluded ? std::move(*old_facts) : std::optional<ResourceFacts>();
}

Result<void> copy_deleted_of(storage::Database& database, const std::string& resource, storage::Database& before)
{
    SHELFD_TRY_ASSIGN(facts, load_facts(database, resource));
    if (!facts) {
        return {};
    }
    SHELFD_TRY_ASSIGN(had, same_table(database, before, *facts));
    return had ? copy_deleted(database, resource, before) : Result<void>();
}

}  // namespace

Result<std::optional<storage::Database>> open_former(storage::Database& database, const ResourceFacts& facts)
{
    SHELFD_TRY_ASSIGN(file, read_meta(database, rebuilt_from));
    if (!file) {
        return std::optional<storage::Database>();
    }
    auto before = storage::Database::open(*file, storage::OpenMode::read_only);
    if (!before) {
        return std::optional<storage::Database>();
    }
    SHELFD_TRY_ASSIGN(had, same_table(database, *before, facts));
    return had && had->proven_as_of ? std::optional(std::move(*before)) : std::nullopt;
}

Result<std::optional<storage::Database>> find_former(storage::Database& database, const ResourceFacts& facts,
                                                     const PassStart& start, ChangeDetail changes)
{
    if (start.slice || changes == ChangeDetail::none || facts.proven_as_of) {
        return std::optional<storage::Database>();
    }
    SHELFD_TRY_ASSIGN(
        proven, read_value(database, "SELECT 1 FROM _proofs WHERE resource = ? AND complete LIMIT 1", facts.name));
    return proven ? std::optional<storage::Database>() : open_former(database, facts);
}

Result<void> copy_deleted_rows(storage::Database& database, std::span<const ResourceSpec> resources)
{
    SHELFD_TRY_ASSIGN(file, read_meta(database, rebuilt_from));
    SHELFD_TRY_ASSIGN(taken, read_meta(database, taken_over));
    if (!file || file == taken) {
        return {};
    }
    if (auto before = storage::Database::open(*file, storage::OpenMode::read_only)) {
        for (const auto& spec : resources) {
            SHELFD_TRY(copy_deleted_of(database, spec.name, *before));
        }
    }
    return write_meta(database, taken_over, *file);
}

}  // namespace shelfd::mirror
