#include "mirror/publish/table_checks.hpp"

#include "mirror/file/schema.hpp"
#include "mirror/publish/row_comparison.hpp"
#include "mirror/publish/verify_table.hpp"
#include "mirror/records/resource.hpp"

#include <algorithm>

namespace shelfd::mirror {
namespace {

// Verifying a table costs a quarter of a pass without changes (0.4 µs for a row of 860 bytes). Writes of others to the
// file are detected by its time, and by SQLite's data_version while it is open. A pass over a sliced table covers only
// a small part of it.
constexpr Duration check_again_after = std::chrono::hours(1);
constexpr Duration check_slices_again_after = std::chrono::hours(24);
constexpr std::uint64_t small_file = std::uint64_t{8} << 20;
// How often each cell is read, independent of other events.
constexpr Duration check_cells_again_after = std::chrono::hours(24 * 7);
constexpr Duration max_wait_for_passes = std::chrono::hours(24);

Result<void> quick_check(storage::Database& database)
{
    SHELFD_TRY_ASSIGN(finding, database.quick_check());
    return finding ? Error(ErrorKind::corrupt, *finding) : Result<void>();
}

// Also checks what no table contains, such as free pages, if the file is small.
Result<void> check_if_small(storage::Database& database)
{
    SHELFD_TRY_ASSIGN(bytes, one_number(database, "SELECT page_count * page_size FROM pragma_page_count, "
                                                  "pragma_page_size"));
    return bytes <= small_file ? quick_check(database) : Result<void>();
}

}  // namespace

Result<void> TableChecks::before_pass(storage::Database& database, const std::string& resource,
                                      std::span<const ResourceSpec> declared, std::uint64_t epoch)
{
    if (epoch != epoch_) {
        SHELFD_TRY(doubt_rows(database, clock_.now()));
        checked_.clear();
        are_all_checked_ = false;
        epoch_ = epoch;
    }
    const auto now = clock_.now();
    // Otherwise done by the next pass that begins while no other is open.
    if (!are_all_checked_ && passes_.empty()) {
        SHELFD_TRY(verify_all_tables(database));
        SHELFD_TRY(check_if_small(database));
        for (const auto& spec : declared) {
            checked_at(spec.name) = now;
        }
        are_all_checked_ = true;
    }
    SHELFD_TRY_ASSIGN(facts, load_facts(database, resource));
    if (!facts) {
        return {};
    }
    auto& last = checked_at(resource);
    const auto again_after = facts->axis.empty() ? check_again_after : check_slices_again_after;
    if (last > now || now - last >= again_after) {
        SHELFD_TRY(verify_resource(database, *facts));
        last = now;
    }
    return check_cells(database);
}

Instant& TableChecks::checked_at(const std::string& table)
{
    const auto found =
        std::find_if(checked_.begin(), checked_.end(), [&table](const Checked& one) { return one.table == table; });
    return found == checked_.end() ? checked_.emplace_back(Checked{table, Instant()}).at : found->at;
}

Result<void> TableChecks::check_cells(storage::Database& database)
{
    constexpr std::string_view key = "checked_at";
    SHELFD_TRY_ASSIGN(text, read_meta(database, key));
    const auto now = clock_.now();
    const auto at = text ? Instant::from_rfc3339(*text) : std::nullopt;
    const auto wait = passes_.empty() ? check_cells_again_after : check_cells_again_after + max_wait_for_passes;
    if (at ? *at <= now && now - *at < wait : !passes_.empty()) {
        return {};
    }
    if (at) {
        SHELFD_TRY(quick_check(database));
    }
    return write_meta(database, key, now.to_text());
}

}  // namespace shelfd::mirror
