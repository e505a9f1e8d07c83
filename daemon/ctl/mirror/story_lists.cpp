// The part of the story about lists by parent: how far they are walked.
#include "ctl/mirror/story.hpp"

#include "ctl/mirror/mirror_format.hpp"
#include "storage/query.hpp"

#include <fmt/format.h>

namespace shelfd::ctl {

// The member that names the parent of a row; "" if the table has no lists by parent.
Result<std::string> ResourceStory::parent_member()
{
    std::string member;
    SHELFD_TRY(storage::each_row(
        database_, R"sql(
        SELECT json_extract("key", '$[0]') FROM _resources WHERE resource = ? AND axis IS NOT NULL AND begins_at IS NULL
            AND EXISTS (SELECT 1 FROM pragma_table_info('_slices') WHERE name = 'why')
    )sql",
        [&](const storage::Statement& row) { member = row.text(0); }, resource_));
    return member;
}

Result<std::string> ResourceStory::lists()
{
    SHELFD_TRY_ASSIGN(member, parent_member());
    if (member.empty()) {
        return member;
    }
    std::string text;
    SHELFD_TRY(storage::each_row(
        database_, "SELECT count(*), min(as_of), count(*) - count(asked_at) FROM _slices WHERE resource = ?",
        [&](const storage::Statement& row) {
            text = fmt::format("lists: {}, one for each {}", row.integer(0), member);
            text += row.is_null(1) ? "" : fmt::format(", the oldest as of {}", short_time(row.text(1)));
            text += row.integer(2) > 0 ? fmt::format(", {} not walked yet\n", row.integer(2)) : "\n";
        },
        resource_));
    SHELFD_TRY(storage::each_row(
        database_, R"sql(
        SELECT name, why, as_of, rows FROM _slices WHERE resource = ? AND why IS NOT NULL ORDER BY rows DESC, first
        LIMIT 5
    )sql",
        [&](const storage::Statement& row) {
            text += fmt::format("  {} {}: {}; rows: {}, as of {}\n", member, row.text(0), row.text(1), row.integer(3),
                                row.is_null(2) ? std::string("never") : short_time(row.text(2)));
        },
        resource_));
    return text;
}

Result<std::string> ResourceStory::list_of(const std::string& key)
{
    SHELFD_TRY_ASSIGN(member, parent_member());
    if (member.empty()) {
        return member;
    }
    std::string text;
    SHELFD_TRY(storage::each_row(
        database_, R"sql(
        SELECT name, as_of, proven_as_of, why FROM _slices WHERE resource = ?1
            AND name = json_quote(json_extract(?2, CASE json_type(?2) WHEN 'array' THEN '$[0]' ELSE '$' END))
    )sql",
        [&](const storage::Statement& row) {
            const auto at = [&](int column) {
                return row.is_null(column) ? std::string("never") : short_time(row.text(column));
            };
            text = fmt::format("  list of {} {}: as of {}, proven {}{}\n", member, row.text(0), at(1), at(2),
                               row.is_null(3) ? "" : fmt::format(": {}", row.text(3)));
        },
        resource_, key));
    return text;
}

}  // namespace shelfd::ctl
