#include "mirror/rows/dated_changes.hpp"

#include "base/words/digits.hpp"
#include "mirror/file/schema.hpp"
#include "mirror/json/instants.hpp"
#include "mirror/json/item_key.hpp"
#include "mirror/values/names.hpp"
#include "storage/query.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace shelfd::mirror {
namespace {

// Enough to distinguish minutes from seconds, and few enough for each poll; stops at the first value with seconds.
constexpr int max_values = 60;

constexpr Duration one_day = std::chrono::hours(24);
constexpr Duration one_minute = std::chrono::minutes(1);
constexpr Duration one_second = std::chrono::seconds(1);

bool is_number(std::string_view text)
{
    return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

// True if ":30.250Z" has digits other than zero.
bool shows_seconds(std::string_view rest)
{
    const auto digits = rest.substr(1, rest.find_first_not_of(".0123456789", 1) - 1);
    return digits.find_first_not_of(".0") != std::string_view::npos;
}

}  // namespace

Result<void> show_new_dates(storage::Database& database, const std::string& resource, const Columns& columns,
                            const DateWatch& watch)
{
    const auto& all = columns.all();
    const auto column = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.key == watch.member; });
    if (column == all.end()) {
        SHELFD_TRY_ASSIGN(changed, storage::read_number(database, fmt::format("SELECT EXISTS (SELECT 1 FROM {})",
                                                                              identifier(staging_name(resource)))));
        if (changed != 0) {
            watch.lacks_member();
        }
        return {};
    }
    if (!column->stored || !column->published) {
        return {};
    }
    std::string key;
    std::string same;
    for (std::size_t part = 0; part < columns.key_size(); ++part) {
        const auto name = identifier(all[part].name);
        key += "s." + name + ", ";
        same += fmt::format("{}t.{} = s.{}", part == 0 ? "" : " AND ", name, name);
    }
    const auto sql =
        fmt::format("SELECT {0}s.{1} FROM {2} s LEFT JOIN {3} t ON {4} WHERE s.{1} IS NOT t.{1} AND s.{1} IS NOT NULL "
                    "ORDER BY s.{1}",
                    key, identifier(column->name), identifier(staging_name(resource)), identifier(resource), same);
    return storage::each_row(database, sql, [&](const storage::Statement& row) {
        const auto value = static_cast<int>(columns.key_size());
        return watch.take({key_of(row, 0, columns.key_size()).to_json(), std::string(row.text(value))});
    });
}

Result<std::optional<Instant>> last_whole_run(storage::Database& database, const std::string& resource,
                                              const std::string& run_id)
{
    SHELFD_TRY_ASSIGN(last, storage::read_texts(database, R"sql(
        SELECT max(as_of) FROM _runs WHERE resource = ? AND mode = 'full' AND result = 'published' AND run_id <> ?
    )sql",
                                                resource, run_id));
    return last.empty() ? std::nullopt : Instant::from_rfc3339(last.front());
}

std::optional<Duration> resolution_of(std::string_view text)
{
    constexpr std::size_t day_size = 10;
    constexpr std::size_t minute_size = 16;  // size of 2026-01-05T10:07
    if (!is_date(text.substr(0, std::min(text.size(), day_size)))) {
        return std::nullopt;
    }
    if (text.size() == day_size) {
        return one_day;
    }
    const bool is_clock =
        text.size() >= minute_size && is_number(text.substr(11, 2)) && text[13] == ':' && is_number(text.substr(14, 2));
    if (!is_clock) {
        return std::nullopt;
    }
    const auto rest = text.substr(minute_size);
    if (rest.starts_with(':') && shows_seconds(rest)) {
        return one_second;
    }
    return text.substr(11, 5) == "00:00" ? one_day : one_minute;
}

Result<std::optional<Duration>> resolution_of_dates(storage::Database& database, const std::string& resource,
                                                    const std::string& member)
{
    SHELFD_TRY_ASSIGN(
        column, storage::read_texts(database, R"sql(SELECT "column" FROM _columns WHERE resource = ? AND "key" = ?)sql",
                                    resource, member));
    std::optional<Duration> finest;
    if (column.empty()) {
        return finest;
    }
    const auto sql = fmt::format("SELECT {0} FROM {1} ORDER BY rowid DESC LIMIT {2}", identifier(column.front()),
                                 identifier(resource), max_values);
    SHELFD_TRY(storage::each_row(database, sql, [&](const storage::Statement& row) {
        const auto one = resolution_of(row.text(0));
        finest = finest && one ? std::min(finest, one) : one ? one : finest;
        return !finest || *finest > one_second;
    }));
    return finest;
}

}  // namespace shelfd::mirror
