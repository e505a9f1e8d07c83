#include "sim/filters.hpp"

#include "sim/pages.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace shelfd::sim {

namespace {

enum class Field { created_date, modified_date, archived_date, date };
enum class Comparison { gt, gte, lt, lte };

struct Filter {
    Field field;
    Comparison comparison;
    Instant value;
    bool whole_days;
};

template <typename Value, std::size_t size>
std::optional<Value> named(const std::array<std::pair<std::string_view, Value>, size>& names, std::string_view name)
{
    const auto* found =
        std::find_if(names.begin(), names.end(), [&](const auto& entry) { return entry.first == name; });
    return found == names.end() ? std::nullopt : std::optional(found->second);
}

// "modified_date__gt" → its parts; also the range form "modified_after".
std::optional<std::pair<Field, Comparison>> parse_name(std::string_view name)
{
    static constexpr std::array<std::pair<std::string_view, Field>, 4> fields{{{"created_date", Field::created_date},
                                                                               {"modified_date", Field::modified_date},
                                                                               {"archived_date", Field::archived_date},
                                                                               {"date", Field::date}}};
    static constexpr std::array<std::pair<std::string_view, Comparison>, 4> comparisons{
        {{"gt", Comparison::gt}, {"gte", Comparison::gte}, {"lt", Comparison::lt}, {"lte", Comparison::lte}}};
    if (name == "modified_after") {
        return std::pair(Field::modified_date, Comparison::gte);
    }
    if (name == "modified_before") {
        return std::pair(Field::modified_date, Comparison::lte);
    }
    const auto at = name.find("__");
    if (at == std::string_view::npos) {
        return std::nullopt;
    }
    const auto field = named(fields, name.substr(0, at));
    const auto comparison = named(comparisons, name.substr(at + 2));
    return field && comparison ? std::optional(std::pair(*field, *comparison)) : std::nullopt;
}

std::optional<Instant> parse_moment(const std::string& text, bool whole_days)
{
    if (whole_days) {
        return Instant::from_rfc3339(text + "T00:00:00Z");
    }
    const auto aware = Instant::from_rfc3339(text);
    return aware ? aware : Instant::from_rfc3339(text + "Z");
}

std::optional<Instant> value_of(const Row& row, Field field)
{
    switch (field) {
    case Field::created_date: return row.created;
    case Field::modified_date: return row.modified;
    case Field::archived_date: return row.archived;
    case Field::date: return row.date;
    }
    return std::nullopt;
}

Instant start_of_day(Instant at)
{
    constexpr std::int64_t day = 86'400;
    const auto seconds = at.seconds();
    return Instant::from_seconds(seconds - ((seconds % day) + day) % day);
}

bool passes(const Row& row, const Filter& filter)
{
    const auto stored = value_of(row, filter.field);
    if (!stored) {
        return false;
    }
    const auto value = filter.whole_days ? start_of_day(*stored) : *stored;
    switch (filter.comparison) {
    case Comparison::gt: return value > filter.value;
    case Comparison::gte: return value >= filter.value;
    case Comparison::lt: return value < filter.value;
    case Comparison::lte: return value <= filter.value;
    }
    return false;
}

}  // namespace

std::variant<ListData::View, Reply> filtered(const ListData::View& rows, const Query& query)
{
    std::vector<Filter> filters;
    const bool is_ledger = !rows.empty() && rows.front()->date.has_value();
    for (const auto& [name, text] : query) {
        const auto parts = parse_name(name);
        if (!parts || text.empty() || (parts->first == Field::date && !is_ledger)) {
            continue;
        }
        const bool whole_days = text.size() == 10;
        const auto value = parse_moment(text, whole_days);
        if (!value || (parts->first == Field::date && !whole_days)) {
            const bool wants_day = parts->first == Field::date;
            const char* complaint = wants_day ? "Enter a valid date." : "Enter a valid date/time.";
            return api_json(400, to_text(Json::object({{name, Json::array({complaint})}})));
        }
        filters.push_back({parts->first, parts->second, *value, whole_days});
    }
    if (filters.empty()) {
        return rows;
    }
    ListData::View kept;
    std::copy_if(rows.begin(), rows.end(), std::back_inserter(kept), [&](const Row* row) {
        return std::all_of(filters.begin(), filters.end(), [&](const Filter& filter) { return passes(*row, filter); });
    });
    return kept;
}

}  // namespace shelfd::sim
