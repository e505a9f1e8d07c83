// Rows that a walk lacks, and what others say of them.
#include "mirror/deletions/absences.hpp"
#include "mirror/json/placing.hpp"
#include "mirror/pass_parts.hpp"
#include "mirror/records/slices.hpp"
#include "mirror/records/state_sql.hpp"

#include <fmt/format.h>

namespace shelfd::mirror {

Result<std::vector<MissingRow>> Pass::missing(std::size_t most, const std::vector<std::string>& address_members)
{
    if (parts_->broken) {
        return *parts_->broken;
    }
    const auto& facts = parts_->facts;
    if (facts.rows == 0 || (!parts_->start.slice && facts.rows == parts_->totals.known_rows)) {
        return std::vector<MissingRow>();
    }
    if (auto defined = define_seen(parts_->database, parts_->seen); !defined) {
        return std::move(defined).error();
    }
    return missing_rows(parts_->database, facts, within(parts_->start.slice), most, address_members,
                        parts_->start.started.seconds());
}

Result<bool> Pass::lacks_rows()
{
    if (parts_->broken) {
        return *parts_->broken;
    }
    const auto& facts = parts_->facts;
    if (facts.rows == 0 || (!parts_->start.slice && facts.rows == parts_->totals.known_rows)) {
        return false;
    }
    if (auto defined = define_seen(parts_->database, parts_->seen); !defined) {
        return std::move(defined).error();
    }
    const auto found = one_number(parts_->database,
                                  fmt::format("SELECT EXISTS (SELECT 1 FROM {} WHERE NOT _seen(ord) AND missed >= 0{})",
                                              states_of(facts), within(parts_->start.slice)));
    return found ? Result<bool>(*found > 0) : found.error();
}

void Pass::testify(const MissingRow& row, Witness witness)
{
    const auto key = read_key(row.key);
    auto& testimony = parts_->testimony;
    if (!key || witness == Witness::none) {
        testimony.any_unclear = testimony.any_unclear || row.standing == MissingRow::Standing::held;
    } else if (witness == Witness::gone) {
        testimony.gone.push_back(*key);
        testimony.held_denied = testimony.held_denied || row.standing == MissingRow::Standing::held;
    } else if (row.standing == MissingRow::Standing::missing) {
        testimony.there.push_back(*key);
    } else {
        // That one is hidden was known, and tells nothing of those that are missing since.
        testimony.held_there = testimony.held_there || row.standing == MissingRow::Standing::held;
    }
}

std::optional<std::int64_t> Pass::place_of(std::string_view item) const
{
    return parts_->start.slice ? mirror::place_of(item, *parts_->start.slice) : std::nullopt;
}

void Pass::testify_moved(const MissingRow& row, std::int64_t place)
{
    if (const auto key = read_key(row.key)) {
        parts_->testimony.moved.push_back({*key, place});
    }
}

}  // namespace shelfd::mirror
