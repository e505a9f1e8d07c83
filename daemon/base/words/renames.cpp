#include "base/words/renames.hpp"

#include "base/words/names.hpp"

#include <algorithm>
#include <string_view>

namespace shelfd {
namespace {

std::vector<std::string> names_with_id_of(const OldName& old, const std::vector<NewName>& now)
{
    std::vector<std::string> found;
    for (const auto& each : now) {
        if (!each.id.empty() && !old.ids.empty() && !is_contradicted(old, each)) {
            found.push_back(each.name);
        }
    }
    return found;
}

LikelyName likeliest(const OldName& old, const std::vector<std::string>& names)
{
    const std::vector<std::string_view> views(names.begin(), names.end());
    if (const auto alike = nearest_alike(old.name, views); !alike.empty()) {
        return {std::string(alike), {}};
    }
    return names.size() == 1 ? LikelyName{names.front(), {}} : LikelyName{"", names};
}

}  // namespace

bool is_contradicted(const OldName& old, const NewName& now)
{
    return !now.id.empty() &&
           std::any_of(old.ids.begin(), old.ids.end(), [&now](const auto& id) { return id != now.id; });
}

std::vector<LikelyName> likely_new_names(const std::vector<OldName>& old, const std::vector<NewName>& now)
{
    std::vector<std::string> taken;  // by their ids
    std::vector<LikelyName> found;
    for (const auto& each : old) {
        const auto same = names_with_id_of(each, now);
        found.push_back(same.empty() ? LikelyName() : likeliest(each, same));
        taken.insert(taken.end(), same.begin(), same.end());
    }
    for (std::size_t i = 0; i < old.size(); ++i) {
        std::vector<std::string> left;
        for (const auto& each : now) {
            const bool is_free = std::find(taken.begin(), taken.end(), each.name) == taken.end();
            if (is_free && !is_contradicted(old[i], each)) {
                left.push_back(each.name);
            }
        }
        if (found[i].name.empty() && found[i].others.empty()) {
            found[i] = likeliest(old[i], left);
        }
    }
    return found;
}

}  // namespace shelfd
