#include "control/model/missing_tables.hpp"

#include "base/words/digits.hpp"
#include "base/words/names.hpp"
#include "control/model/mask.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace shelfd::control {
namespace {

// In a sentence: names for one reason, and reasons.
constexpr std::size_t named = 3;
constexpr std::size_t told_reasons = 3;

// For the same reason, if names, numbers and times are left out.
struct Alike {
    std::string why;
    std::vector<const MissingTables*> parts = {};
    std::size_t tables = 0;
};

std::string without_numbers(const MissingTables& missing)
{
    std::string text;
    for (const char c : mask(missing.why, missing.library, missing.tables)) {
        if (!is_digit(c) || text.empty() || text.back() != '0') {
            text += is_digit(c) ? '0' : c;
        }
    }
    return text;
}

std::vector<Alike> group_alike(const std::vector<MissingTables>& missing)
{
    std::vector<Alike> groups;
    std::map<std::string, std::size_t> places;
    for (const auto& one : missing) {
        auto why = without_numbers(one);
        const auto [place, is_new] = places.try_emplace(why, groups.size());
        if (is_new) {
            groups.push_back({std::move(why)});
        }
        auto& group = groups[place->second];
        group.parts.push_back(&one);
        group.tables += one.tables.size();
    }
    return groups;
}

std::string name_tables(const MissingTables& missing)
{
    return missing.library + (missing.tables.empty() ? "" : " ") + list_some(missing.tables, named);
}

// The tables of a group, all of which are in one library.
MissingTables all_of(const Alike& group)
{
    MissingTables all{group.parts.front()->library, {}, ""};
    for (const auto* one : group.parts) {
        all.tables.insert(all.tables.end(), one->tables.begin(), one->tables.end());
    }
    return all;
}

std::string describe(const Alike& group)
{
    const auto& first = *group.parts.front();
    std::vector<std::string> libraries;
    bool differs = false;
    for (const auto* one : group.parts) {
        if (libraries.empty() || libraries.back() != one->library) {
            libraries.push_back(one->library);
        }
        differs = differs || one->why != first.why;
    }
    auto who = libraries.size() == 1 ? name_tables(all_of(group)) : list_some(libraries, named);
    if (libraries.size() > named) {
        who += libraries.size() == named + 1 ? " library" : " libraries";
    }
    if (group.tables > 0 && libraries.size() > 1) {
        who += fmt::format(" ({} tables)", group.tables);
    }
    const auto* as_for = libraries.size() == 1 ? "as for " : "";
    return fmt::format("{}: {}{}", who, first.why, differs ? fmt::format(" ({}{})", as_for, name_tables(first)) : "");
}

}  // namespace

std::string MissingTables::text() const
{
    return fmt::format("{}{}{}: {}", library, tables.empty() ? "" : " ", fmt::join(tables, ", "), why);
}

std::string fold(const std::vector<MissingTables>& missing)
{
    auto groups = group_alike(missing);
    const auto told = std::min(told_reasons, groups.size());
    if (groups.size() > told) {
        std::stable_sort(groups.begin(), groups.end(),
                         [](const Alike& a, const Alike& b) { return a.tables > b.tables; });
    }
    std::string text;
    for (std::size_t i = 0; i < told; ++i) {
        text += (text.empty() ? "" : "; ") + describe(groups[i]);
    }
    std::size_t rest = 0;
    for (std::size_t i = told; i < groups.size(); ++i) {
        rest += groups[i].tables > 0 ? groups[i].tables : groups[i].parts.size();
    }
    return text + (rest > 0 ? fmt::format("; and {} more for other reasons", rest) : "");
}

}  // namespace shelfd::control
