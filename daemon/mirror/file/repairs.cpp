#include "mirror/file/repairs.hpp"

#include "mirror/file/schema.hpp"
#include "mirror/json/object.hpp"
#include "mirror/json/text.hpp"
#include "storage/query.hpp"

#include <fmt/format.h>

#include <array>

namespace shelfd::mirror {
namespace {

constexpr std::string_view prefix = "repair ";

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
        static const std::array<std::string, 4> names = {"file", "found", "done", "aside"};
        std::vector<Member> found(names.size());
        if (at && find_members(value, names, found) == nullptr) {
            repairs.push_back({*at, text_of(found[0]), text_of(found[1]), text_of(found[2]), text_of(found[3])});
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
        const auto value = fmt::format(R"({{"file":{},"found":{},"done":{},"aside":{}}})", quoted_json(one.file),
                                       quoted_json(one.found), quoted_json(one.done), quoted_json(one.aside));
        SHELFD_TRY(write_meta(database, fmt::format("{}{}", prefix, one.at.to_text()), value));
    }
    return {};
}

void RepairLog::record(Instant at, const std::string& file, const std::string& finding, const std::string& aside)
{
    const auto done = aside.empty() ? std::string("the mirror is filled again")
                                    : fmt::format("it was renamed to {}, and the mirror is filled again", aside);
    add({at, file, finding, done, aside});
}

void RepairLog::record_rows(Instant at, const std::string& file, const std::string& finding)
{
    add({at, file, finding,
         "they are as the service sends them again; if no other program writes to the file, check the disk", ""});
}

void RepairLog::add(Repair repair)
{
    notice_ = fmt::format("the mirror of {} {}; {}", library_, repair.found, repair.done);
    repairs_.insert(repairs_.begin(), std::move(repair));
    unsaved_ = true;
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
