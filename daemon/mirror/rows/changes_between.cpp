#include "mirror/rows/changes_between.hpp"

#include <utility>

namespace shelfd::mirror {
namespace {

constexpr std::size_t length_of_day = 10;
// A day of some zone lies within so much of the same day in UTC.
constexpr Duration farthest_zone = std::chrono::hours(14);

bool lies_between(const std::string& text, Instant after, Instant until)
{
    if (text.size() != length_of_day) {
        const auto at = Instant::from_rfc3339(text);
        return at && *at > after && *at <= until;
    }
    const auto begin = Instant::from_rfc3339(text + "T00:00:00Z");
    return begin && *begin - farthest_zone > after && *begin + std::chrono::hours(24) + farthest_zone <= until;
}

}  // namespace

Result<std::int64_t> newest_change(storage::Database& database)
{
    auto newest = database.prepare("SELECT coalesce(max(seq), 0) FROM _changes");
    if (!newest) {
        return std::move(newest).error();
    }
    auto row = newest->step();
    return row ? Result<std::int64_t>(newest->integer(0)) : std::move(row).error();
}

Result<std::optional<DatedChange>> first_dated_change(storage::Database& database, std::int64_t seq,
                                                      const DatedChanges& wanted)
{
    auto changes = database.prepare(R"sql(
        SELECT item_key, json_extract(after, '$."' || ?4 || '"') FROM _changes
        WHERE seq > ?1 AND resource = ?2 AND run_id = ?3 AND op IN ('insert', 'update') AND json_valid(after)
        ORDER BY seq
    )sql");
    if (!changes) {
        return std::move(changes).error();
    }
    changes->bind(1, seq).bind(2, std::string_view(wanted.resource)).bind(3, std::string_view(wanted.run_id));
    changes->bind(4, std::string_view(wanted.member));
    for (;;) {
        auto row = changes->step();
        if (!row) {
            return std::move(row).error();
        }
        if (!*row) {
            return std::optional<DatedChange>();
        }
        if (std::string value(changes->text(1)); lies_between(value, wanted.after, wanted.until)) {
            return std::optional(DatedChange{std::string(changes->text(0)), std::move(value)});
        }
    }
}

Result<std::optional<Instant>> last_whole_run(storage::Database& database, const std::string& resource,
                                              const std::string& run_id)
{
    auto last = database.prepare(R"sql(
        SELECT max(as_of) FROM _runs WHERE resource = ? AND mode = 'full' AND result = 'published' AND run_id <> ?
    )sql");
    if (!last) {
        return std::move(last).error();
    }
    last->bind(1, std::string_view(resource)).bind(2, std::string_view(run_id));
    auto row = last->step();
    if (!row) {
        return std::move(row).error();
    }
    return *row ? Instant::from_rfc3339(last->text(0)) : std::nullopt;
}

}  // namespace shelfd::mirror
