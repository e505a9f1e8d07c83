#include "ctl/plan/folded_changes.hpp"

#include "base/words/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace shelfd::ctl {
namespace {

using Kind = ConfigurationChange::Kind;

// A change of one key or of one table in several libraries.
struct Fold {
    std::size_t place = 0;
    std::vector<std::string> libraries;
};

// "rate_limit "100/m" → "50/m"", "stock every "15m" → "5m"", "stock every "15m"": without the library. "" = a change of
// a library as a whole, or of no library.
std::string common_part(const ConfigurationChange& change)
{
    using Area = ConfigurationChange::Area;
    const bool is_of_one_key = change.kind == Kind::changed ? !change.key.empty() : change.area == Area::table;
    const auto library = change.subject.substr(0, change.subject.find('.'));
    const auto prefix = change.area == Area::library ? "library " + library + " "
                        : change.area == Area::table ? library + "."
                                                     : std::string();
    const bool is_common = is_of_one_key && !prefix.empty() && change.what.starts_with(prefix);
    return is_common ? change.what.substr(prefix.size()) : "";
}

// "antwerp, ghent and 7 more"
std::string named(const std::vector<std::string>& libraries)
{
    constexpr std::size_t max_named = 5;
    // "and 1 more" would be no shorter than the name.
    return list_some(libraries, libraries.size() > max_named ? max_named - 1 : max_named);
}

void count_unknown(ConfigurationChange& sum, const ConfigurationChange& change)
{
    const bool is_all = change.is_unknown && !change.requests_an_hour;
    sum.is_unknown = sum.is_unknown || change.is_unknown;
    sum.unknown += is_all ? 1 : 0;
    sum.partly_unknown += change.is_unknown && !is_all ? 1 : 0;
    for (const auto& list : change.unread) {
        if (std::find(sum.unread.begin(), sum.unread.end(), list) == sum.unread.end()) {
            sum.unread.push_back(list);
        }
    }
}

}  // namespace

std::vector<ConfigurationChange> fold_changes(const std::vector<ConfigurationChange>& changes)
{
    std::vector<ConfigurationChange> folded;
    std::map<std::pair<Kind, std::string>, Fold> folds;  // by what they have in common
    for (const auto& change : changes) {
        const auto common = common_part(change);
        if (common.empty()) {
            folded.push_back(change);
            continue;
        }
        const auto [fold, is_first] = folds.try_emplace({change.kind, common}, Fold{folded.size(), {}});
        fold->second.libraries.push_back(change.subject.substr(0, change.subject.find('.')));
        if (is_first) {
            folded.push_back(change);
            count_unknown(folded.back(), change);
            continue;
        }
        auto& sum = folded[fold->second.place];
        ++sum.libraries;
        count_unknown(sum, change);
        if (sum.requests_an_hour || change.requests_an_hour) {
            sum.requests_an_hour = sum.requests_an_hour.value_or(0) + change.requests_an_hour.value_or(0);
        }
    }
    for (const auto& [change, fold] : folds) {
        if (fold.libraries.size() > 1) {
            folded[fold.place].what =
                fmt::format("{} in {} libraries ({})", change.second, fold.libraries.size(), named(fold.libraries));
        }
    }
    return folded;
}

}  // namespace shelfd::ctl
