#include "mirror/file/repairs.hpp"

#include "mirror/file/schema.hpp"
#include "mirror/json/object.hpp"
#include "mirror/json/text.hpp"
#include "storage/query.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace shelfd::mirror {
namespace {

constexpr std::string_view prefix = "repair ";

// Within this time, what passes find in rows is one repair.
constexpr Duration one_incident = std::chrono::hours(1);

// "had rows with other values than were written: 3 of recipes, among them key 17"
std::string sentence_of(const std::vector<DamagedRows>& damaged)
{
    std::string tables;
    for (const auto& one : damaged) {
        tables += fmt::format("{}{} of {}, {}key {}", tables.empty() ? "" : "; ", one.rows, one.table,
                              one.rows == 1 ? "" : "among them ", one.key);
    }
    return fmt::format("had rows with other values than were written: {}", tables);
}

Repair repair_of_copy(Instant at, const std::string& file)
{
    return {at, file, "is in another file than it was left in: it was restored from a copy, or moved",
            "its change feed has a new name, and consumers have to read the tables again", ""};
}

std::string text_of(const Member& member)
{
    std::string text;
    if (!member.value.empty() && member.type == JsonType::string) {
        unescape(member.inside(), text);
    }
    return text;
}

}  // namespace

Result<std::vector<Repair>> load_repairs(storage::Database& database)
{
    constexpr const char* lines =
        "SELECT key, value FROM _meta WHERE key >= 'repair ' AND key < 'repair!' ORDER BY key DESC";
    std::vector<Repair> repairs;
    const auto add = [&](const storage::Statement& row) {
        const auto at = Instant::from_rfc3339(row.text(0).substr(prefix.size()));
        const std::string value(row.text(1));
        static const std::array<std::string, 5> names = {"file", "found", "done", "aside", "of_rows"};
        std::vector<Member> found(names.size());
        if (at && find_members(value, names, found) == nullptr) {
            repairs.push_back({*at, text_of(found[0]), text_of(found[1]), text_of(found[2]), text_of(found[3]),
                               found[4].value == "true"});
        }
    };
    SHELFD_TRY(storage::each_row(database, lines, add));
    return repairs;
}

Result<void> save_repairs(storage::Database& database, const std::vector<Repair>& repairs, Instant now)
{
    SHELFD_TRY(database.execute("DELETE FROM _meta WHERE key >= 'repair ' AND key < 'repair!'"));
    for (const auto& one : repairs) {
        if (now - one.at > repair_is_news) {
            continue;
        }
        const auto value =
            fmt::format(R"({{"file":{},"found":{},"done":{},"aside":{},"of_rows":{}}})", quoted_json(one.file),
                        quoted_json(one.found), quoted_json(one.done), quoted_json(one.aside), one.of_rows);
        SHELFD_TRY(write_meta(database, fmt::format("{}{}", prefix, one.at.to_text()), value));
    }
    return {};
}

void RepairLog::record(Instant at, const std::string& file, const std::string& finding, const std::string& aside)
{
    const auto done = aside.empty() ? std::string("the mirror is filled again")
                                    : fmt::format("it was renamed to {}, and the mirror is filled again", aside);
    notice_ = fmt::format("the mirror of {} {}; {}", library_, finding, done);
    repairs_.insert(repairs_.begin(), {at, file, finding, done, aside});
    unsaved_ = true;
}

void RepairLog::record_rows(Instant at, const std::string& file, const DamagedRows& found)
{
    if (repairs_.empty() || !repairs_.front().of_rows || damaged_.empty() || at - repairs_.front().at >= one_incident) {
        const auto done = "they were put right by what the service sent; if no other program writes to the file, check "
                          "the disk";
        repairs_.insert(repairs_.begin(), {at, file, "", done, "", true});
        damaged_.clear();
    }
    const auto known = std::find_if(damaged_.begin(), damaged_.end(),
                                    [&found](const DamagedRows& one) { return one.table == found.table; });
    if (known == damaged_.end()) {
        damaged_.push_back(found);
    } else {
        known->rows += found.rows;
    }
    auto& repair = repairs_.front();
    repair.found = sentence_of(damaged_);
    add_notice(fmt::format("the mirror of {} {}; {}", library_, sentence_of({found}), repair.done));
    unsaved_ = true;
}

Result<void> RepairLog::store_copy(storage::Database& database, Instant at, const std::string& file) const
{
    auto all = repairs_;
    all.insert(all.begin(), repair_of_copy(at, file));
    return save_repairs(database, all, at);
}

void RepairLog::record_copy(Instant at, const std::string& file)
{
    repairs_.insert(repairs_.begin(), repair_of_copy(at, file));
    add_notice(fmt::format("the mirror of {} {}; {}", library_, repairs_.front().found, repairs_.front().done));
}

Result<void> RepairLog::recall(storage::Database& database)
{
    if (repairs_.empty()) {
        SHELFD_TRY_ASSIGN(known, load_repairs(database));
        repairs_ = std::move(known);
    }
    return {};
}

Result<void> RepairLog::save(storage::Database& database, Instant now)
{
    if (unsaved_) {
        SHELFD_TRY(save_repairs(database, repairs_, now));
        unsaved_ = false;
    }
    return {};
}

}  // namespace shelfd::mirror
