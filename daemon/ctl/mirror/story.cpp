#include "ctl/mirror/story.hpp"

#include "base/words/key_form.hpp"
#include "base/words/shell_word.hpp"
#include "ctl/mirror/mirror_format.hpp"
#include "storage/query.hpp"
#include "storage/sql_names.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace shelfd::ctl {
namespace {

namespace json = boost::json;

std::string times(std::int64_t count, std::string_view word)
{
    return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s");
}

// The typed key as the mirror writes keys: whole numbers and JSON unchanged, anything else as a text.
std::string key_json(const std::string& typed)
{
    boost::system::error_code broken;
    const auto value = json::parse(typed, broken);
    const bool is_key = !broken && (value.is_int64() || value.is_uint64() || value.is_string() || value.is_array());
    return is_key ? json::serialize(value) : json::serialize(json::string_view(typed));
}

}  // namespace

Result<void> ResourceStory::check_resource()
{
    SHELFD_TRY_ASSIGN(known, storage::read_texts(database_, "SELECT resource FROM _resources ORDER BY resource"));
    const bool is_known = std::find(known.begin(), known.end(), resource_) != known.end();
    return is_known ? Result<void>() : Result<void>(no_table(resource_, known));
}

Result<std::string> ResourceStory::of_resource()
{
    SHELFD_TRY(check_resource());
    using Self = ResourceStory;
    std::string story;
    for (const auto chapter : {&Self::freshness, &Self::lists, &Self::proof, &Self::runs, &Self::drift}) {
        SHELFD_TRY_ASSIGN(text, (this->*chapter)());
        story += text;
    }
    return story;
}

Result<std::string> ResourceStory::key_of(const std::string& typed)
{
    auto key = key_json(typed);
    SHELFD_TRY(check_key(key));
    SHELFD_TRY_ASSIGN(found, has_row(key));
    // A key that looks like a number may be a text.
    if (const auto as_text = json::serialize(json::string_view(typed)); !found && as_text != key) {
        SHELFD_TRY_ASSIGN(text_found, has_row(as_text));
        key = text_found ? as_text : key;
    }
    return key;
}

Result<std::string> ResourceStory::of_item(const std::string& typed)
{
    SHELFD_TRY_ASSIGN(key, key_of(typed));
    using Self = ResourceStory;
    std::string story;
    for (const auto chapter : {&Self::row, &Self::list_of, &Self::absence, &Self::changes}) {
        SHELFD_TRY_ASSIGN(text, (this->*chapter)(key));
        story += text;
    }
    return story;
}

Result<std::string> ResourceStory::freshness()
{
    std::string text;
    SHELFD_TRY(storage::each_row(
        database_, R"sql(
        SELECT f.state, f.as_of, f.rows, f.late_at, f.why, r.next_due, r.since, r.candidates, r.held,
            julianday(r.next_due) <= julianday('now'), julianday(f.late_at) <= julianday('now')
        FROM freshness f JOIN _resources r ON r.resource = f.resource WHERE f.resource = ?
    )sql",
        [&](const storage::Statement& row) {
            text = fmt::format("{}: {}, {}", resource_, row.text(0), times(row.integer(2), "row"));
            text +=
                row.is_null(1) ? "; nothing was published yet\n" : fmt::format(", as of {}\n", short_time(row.text(1)));
            if (!row.is_null(4)) {
                text += fmt::format("why: {}{}\n", row.text(4),
                                    row.is_null(6) ? "" : fmt::format(" (since {})", short_time(row.text(6))));
            }
            if (row.integer(7) > 0) {
                text += fmt::format("candidates: {} missing from the last complete pass; deleted when a second piece "
                                    "of evidence agrees\n",
                                    times(row.integer(7), "row"));
            }
            if (row.integer(8) > 0) {
                text += fmt::format("held: {} missing from the list but not deleted\n", times(row.integer(8), "row"));
            }
            const bool is_retired = row.text(0) == "retired";  // nobody fills it any more
            if (!row.is_null(5) && !is_retired) {
                text += fmt::format("next pass: due {}{}\n", short_time(row.text(5)),
                                    row.integer(9) != 0          ? overdue()
                                    : present_.waits_for.empty() ? std::string()
                                                                 : "; it " + present_.waits_for);
            }
            // A pass that somebody has asked for.
            if (present_.is_due && !is_retired && (row.is_null(5) || row.integer(9) == 0)) {
                text += fmt::format("now: {}\n", present_.text);
            }
            if (!row.is_null(3) && !is_retired) {
                text += fmt::format("late: {} {}{}\n", row.integer(10) != 0 ? "since" : "at", short_time(row.text(3)),
                                    row.integer(10) != 0 ? "" : ", unless a pass is published before");
            }
        },
        resource_));
    return text;
}

// Follows the time of a pass that was due before now.
std::string ResourceStory::overdue() const
{
    return present_.text.empty() ? ", which is past; the daemon gave no status: shelfctl status shows why"
                                 : ", which is past: " + present_.text;
}

Result<std::string> ResourceStory::proof()
{
    // A proof covers the whole table, or one of its windows or lists.
    std::string text;
    SHELFD_TRY(storage::each_row(
        database_, R"sql(
        SELECT r.proven_as_of, p.kind, p.text, p.run_id, p.as_of,
            EXISTS (SELECT 1 FROM _slices s WHERE s.resource = r.resource), r.detail_of IS NOT NULL
        FROM _resources r LEFT JOIN _proofs p ON p.rowid =
            (SELECT max(rowid) FROM _proofs WHERE resource = r.resource AND complete)
        WHERE r.resource = ?
    )sql",
        [&](const storage::Statement& row) {
            if (row.integer(6) != 0) {
                return;  // details have no proof
            }
            const bool in_parts = row.integer(5) != 0;
            const auto newest = row.is_null(1)
                                    ? std::string()
                                    : fmt::format(" ({}{}), run {}", row.text(1),
                                                  row.is_null(2) ? "" : fmt::format(": {}", row.text(2)), row.text(3));
            if (!row.is_null(0)) {
                text = fmt::format("proven: complete as of {}{}\n", short_time(row.text(0)), in_parts ? "" : newest);
            } else {
                text = in_parts ? "proven: only in parts\n"
                                : "proven: never; no row is deleted until a pass is proven complete\n";
            }
            if (in_parts && !newest.empty()) {
                text += fmt::format("newest proof of a part: as of {}{}\n", short_time(row.text(4)), newest);
            }
        },
        resource_));
    return text;
}

Result<std::string> ResourceStory::runs()
{
    SHELFD_TRY_ASSIGN(asker, column_or_null(database_, "_runs", "asked_by"));
    std::string text;
    SHELFD_TRY(storage::each_row(
        database_,
        fmt::format(R"sql(
        SELECT started_at, mode, result, requests, rows, added, changed, deleted, error, {} FROM _runs
        WHERE resource = ? ORDER BY rowid DESC LIMIT 5
    )sql",
                    asker),
        [&](const storage::Statement& row) {
            text += fmt::format("  {}  {}  {}, {}", short_time(row.text(0)), row.text(1), row.text(2),
                                times(row.integer(3), "request"));
            text += row.is_null(4) ? ""
                                   : fmt::format(", {}: {} added, {} changed, {} deleted", times(row.integer(4), "row"),
                                                 row.integer(5), row.integer(6), row.integer(7));
            text += row.is_null(8) ? "" : fmt::format(": {}", row.text(8));
            text += row.is_null(9) ? "\n" : fmt::format("; asked for by {}\n", row.text(9));
        },
        resource_));
    return text.empty() ? "runs: none recorded\n" : "runs, newest first:\n" + text;
}

Result<std::string> ResourceStory::drift()
{
    std::string text;
    SHELFD_TRY(storage::each_row(
        database_, R"sql(
        SELECT "column", expected, found, items, last_seen, item_key, sample FROM _drift WHERE resource = ?
        ORDER BY "column", found
    )sql",
        [&](const storage::Statement& row) {
            text += fmt::format("drift: {} is {} and received {} in {}, last {}, item {}: {}\n", row.text(0),
                                row.text(1), row.text(2), times(row.integer(3), "item"), short_time(row.text(4)),
                                row.text(5), row.text(6));
        },
        resource_));
    if (!text.empty()) {
        text += fmt::format("  drift loses nothing: such values are in _exact. To choose the kind again: "
                            "shelfctl schema {} --retype {}.COLUMN\n",
                            library_, resource_);
    }
    return text;
}

// Fails if the key has several members and not all of them were given.
Result<void> ResourceStory::check_key(const std::string& key)
{
    SHELFD_TRY_ASSIGN(members, storage::read_texts(database_, R"sql(
        SELECT k.value FROM _resources r, json_each(r."key") k WHERE r.resource = ? ORDER BY k.key
    )sql",
                                                   resource_));
    boost::system::error_code broken;
    const auto typed = json::parse(key, broken);
    const auto* parts = typed.if_array();
    if (members.size() < 2 || (parts != nullptr && parts->size() == members.size())) {
        return {};
    }
    return Error(ErrorKind::usage, fmt::format("{} is not a key of {}: {}", key, resource_, key_form(members)));
}

Result<std::vector<std::string>> ResourceStory::key_columns()
{
    return storage::read_texts(database_, R"sql(
        SELECT c."column" FROM _resources r, json_each(r."key") k
            JOIN _columns c ON c.resource = r.resource AND c."key" = k.value
        WHERE r.resource = ? ORDER BY k.key
    )sql",
                               resource_);
}

Result<bool> ResourceStory::has_row(const std::string& key)
{
    SHELFD_TRY_ASSIGN(columns, key_columns());
    if (columns.empty()) {
        return false;  // nothing was ever published
    }
    std::string where;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        // A typed column would take the text "7" for the number.
        where += fmt::format("{0}{1} = json_extract(?1, '{2}') AND typeof({1}) = typeof(json_extract(?1, '{2}'))",
                             i == 0 ? "" : " AND ", identifier(columns[i]),
                             columns.size() == 1 ? "$" : fmt::format("$[{}]", i));
    }
    SHELFD_TRY_ASSIGN(
        found,
        storage::read_number(database_, fmt::format("SELECT 1 FROM {} WHERE {}", identifier(resource_), where), key));
    return found != 0;
}

Result<std::string> ResourceStory::row(const std::string& key)
{
    SHELFD_TRY_ASSIGN(found, has_row(key));
    return fmt::format("item {}: {}\n", key, found ? "in the table" : "not in the table");
}

Result<std::string> ResourceStory::absence(const std::string& key)
{
    std::string text;
    SHELFD_TRY(storage::each_row(
        database_, "SELECT since, kept, why FROM _held WHERE resource = ? AND item_key = ?",
        [&](const storage::Statement& row) {
            text += fmt::format("  {} since {}: {}\n", row.integer(1) != 0 ? "kept, as a person decided," : "held",
                                short_time(row.text(0)), row.text(2));
        },
        resource_, key));
    SHELFD_TRY_ASSIGN(missed, passes_without(key));
    if (missed > 0) {
        text += fmt::format("  the last {} did not find it: it is deleted when a second piece of evidence agrees\n",
                            missed == 1 ? "complete pass" : times(missed, "complete passes"));
    }
    return text;
}

// How many of the last complete passes did not find the row.
Result<std::int64_t> ResourceStory::passes_without(const std::string& key)
{
    std::int64_t missed = 0;
    const auto states = storage::state_name(resource_);
    SHELFD_TRY_ASSIGN(
        has_states,
        storage::read_number(database_, "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", states));
    SHELFD_TRY_ASSIGN(columns, key_columns());
    if (has_states == 0 || columns.empty()) {
        return missed;
    }
    std::string where;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        where += fmt::format("{}k{} = json_extract(?1, '{}')", i == 0 ? "" : " AND ", i + 1,
                             columns.size() == 1 ? "$" : fmt::format("$[{}]", i));
    }
    SHELFD_TRY(storage::each_row(
        database_, fmt::format("SELECT missed FROM {} WHERE {}", identifier(states), where),
        [&](const storage::Statement& row) { missed = std::max<std::int64_t>(row.integer(0), 0); }, key));
    return missed;
}

Result<std::string> ResourceStory::changes(const std::string& key)
{
    std::string text;
    SHELFD_TRY(storage::each_row(
        database_, R"sql(
        SELECT seen_at, op, run_id, before, after FROM _changes WHERE resource = ? AND item_key = ?
        ORDER BY seq DESC LIMIT 5
    )sql",
        [&](const storage::Statement& row) {
            text += fmt::format("  {}  {}, run {}", short_time(row.text(0)), row.text(1), row.text(2));
            text += row.is_null(3) ? "" : fmt::format("  {}", row.text(3));
            text += row.is_null(4) ? "\n" : fmt::format("{}{}\n", row.is_null(3) ? "  " : " -> ", row.text(4));
        },
        resource_, key));
    if (text.empty()) {
        SHELFD_TRY_ASSIGN(is_there, has_row(key));
        text = is_there ? "  no change of it is kept: it came with the first load, or changed before the feed begins\n"
                        : fmt::format("  the mirror knows no such item; to ask the service for it: "
                                      "shelfctl verify {} {} {}\n",
                                      library_, resource_, shell_word(key));
    } else {
        text = "  changes, newest first:\n" + text;
    }
    return text;
}

}  // namespace shelfd::ctl
