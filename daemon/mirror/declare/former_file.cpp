#include "mirror/declare/former_file.hpp"

#include "mirror/file/schema.hpp"
#include "mirror/rows/deleted_rows.hpp"

namespace shelfd::mirror {
namespace {

// Of `_meta`: the file whose deleted rows were taken over, or could not be.
constexpr std::string_view taken_over = "deleted_rows_from";

// Whether that file had this table with this key, and excluded from it what is excluded now: what is excluded since
// then must not come back.
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

}  // namespace

Result<std::optional<storage::Database>> open_former(storage::Database& database, const ResourceFacts& facts)
{
    auto file = read_meta(database, rebuilt_from);
    if (!file || !*file) {
        return file ? std::optional<storage::Database>()
                    : Result<std::optional<storage::Database>>(std::move(file).error());
    }
    auto before = storage::Database::open(**file, storage::OpenMode::read_only);
    if (!before) {
        return std::optional<storage::Database>();
    }
    auto had = same_table(database, *before, facts);
    if (!had) {
        return std::move(had).error();
    }
    return *had && (*had)->proven_as_of ? std::optional(std::move(*before)) : std::nullopt;
}

Result<std::optional<storage::Database>> find_former(storage::Database& database, const ResourceFacts& facts,
                                                     const PassStart& start, ChangeDetail changes)
{
    if (start.slice || changes == ChangeDetail::none || facts.proven_as_of) {
        return std::optional<storage::Database>();
    }
    const auto proven =
        read_value(database, "SELECT 1 FROM _proofs WHERE resource = ? AND complete LIMIT 1", facts.name);
    if (!proven || *proven) {
        return proven ? std::optional<storage::Database>() : Result<std::optional<storage::Database>>(proven.error());
    }
    return open_former(database, facts);
}

Result<void> copy_deleted_rows(storage::Database& database, std::span<const ResourceSpec> resources)
{
    auto file = read_meta(database, rebuilt_from);
    auto taken = read_meta(database, taken_over);
    if (!file || !taken) {
        return file ? std::move(taken).error() : std::move(file).error();
    }
    if (!*file || *file == *taken) {
        return {};
    }
    auto before = storage::Database::open(**file, storage::OpenMode::read_only);
    for (const auto& spec : resources) {
        SHELFD_TRY_ASSIGN(facts, load_facts(database, spec.name));
        SHELFD_TRY_ASSIGN(had, before && facts ? same_table(database, *before, *facts)
                                               : Result<std::optional<ResourceFacts>>(std::nullopt));
        if (!had) {
            continue;
        }
        SHELFD_TRY(copy_deleted(database, spec.name, *before));
    }
    return write_meta(database, taken_over, **file);
}

}  // namespace shelfd::mirror
