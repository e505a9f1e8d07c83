#include "sync/plan/unbrought.hpp"

#include "schedule/windows.hpp"
#include "sync/service/filter_check.hpp"

#include <fmt/core.h>

#include <utility>

namespace shelfd::sync {
namespace {

constexpr Duration farthest_zone = std::chrono::hours(14);
constexpr Duration one_day = std::chrono::hours(24);
constexpr std::size_t max_unsure = 20;

}  // namespace

std::string describe_change(std::string_view key, std::string_view member, std::string_view value)
{
    return fmt::format("row {} has the {} {}", key, member, value);
}

void Unbrought::add(const Unbrought& other)
{
    certain = certain.empty() ? other.certain : certain;
    // Lists with the same filter: a date in one of them shows the form of all.
    undated = undated.empty() ? other.undated : undated;
    if (!certain.empty()) {
        unsure.clear();
    } else if (unsure.empty()) {
        unsure = other.unsure;
    }
}

Unbrought UnbroughtSearch::found(const std::string& list) const
{
    if (!certain_.empty()) {
        return {certain_, {}};
    }
    if (!has_date_ && !undated_.empty()) {
        return {"", {}, undated_};
    }
    auto rows = unsure_;
    for (auto& row : rows) {
        row.list = list;
    }
    return {"", std::move(rows)};
}

mirror::DateWatch UnbroughtSearch::watch()
{
    const auto look = [this](const mirror::DatedChange& row) {
        take(row);
        return certain_.empty();
    };
    return {member_, look, [this] { undated_ = "no row has the member " + member_; }};
}

// The row has changed since the last walk over the whole list; an earlier date is not that of the change.
void UnbroughtSearch::take(const mirror::DatedChange& row)
{
    const auto brought_until = times_.asked - times_.reach;
    const auto text = completed(row.value);
    const bool is_day = schedule::is_day(text);
    const auto exact = exact_time(text);
    const auto shown = exact ? exact : Instant::from_rfc3339(is_day ? text + "T00:00:00Z" : text + "Z");
    if (!shown) {
        undated_ = undated_.empty() ? describe_change(row.key, member_, row.value) : undated_;
        return;
    }
    has_date_ = true;
    // A midnight may stand for a day, in any time zone.
    const bool is_of_zone = exact && times_.resolution < one_day;
    const auto margin = is_of_zone ? Duration(0) : farthest_zone;
    const auto earliest = *shown - margin;
    const auto latest = *shown + margin + (is_day ? one_day : times_.resolution);
    const auto whole = is_of_zone ? times_.whole - times_.resolution : times_.whole;
    if (earliest > whole && latest <= brought_until) {
        certain_ = describe_change(row.key, member_, row.value);
        return;
    }
    if (!is_of_zone && latest > times_.whole && earliest <= times_.asked && unsure_.size() < max_unsure) {
        unsure_.push_back({row.key, row.value, times_.asked});
    }
}

}  // namespace shelfd::sync
