#include "control/causes/table_cause.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace shelfd::control {

Trouble trouble_of(const ResourceStatus& table)
{
    if (table.trouble != Trouble::none) {
        return table.trouble;
    }
    switch (table.state) {
    case State::wrong_library: return Trouble::wrong_library;
    case State::needs_person: return Trouble::needs_person;
    case State::forbidden: return Trouble::forbidden;
    default: return Trouble::none;
    }
}

std::string ask_for_permissions(const LibraryStatus& library, const std::vector<std::string>& tables)
{
    std::set<std::string> scopes;
    std::vector<std::string> refused;
    for (const auto& name : tables) {
        const auto table = std::find_if(library.resources.begin(), library.resources.end(),
                                        [&name](const auto& one) { return one.name == name; });
        if (table != library.resources.end() && !table->missing_scope.empty()) {
            scopes.insert(table->missing_scope);
        } else {
            refused.push_back(name);
        }
    }
    std::string text;
    if (!scopes.empty()) {
        text = fmt::format("ask the owner of {} for a token set with the scope{} {}, then: shelfctl auth import {}",
                           library.name, scopes.size() == 1 ? "" : "s", fmt::join(scopes, ", "), library.name);
    }
    if (!refused.empty()) {
        text += fmt::format("{}ask the owner of {} for the scopes or permissions of {}, then: shelfctl sync {}",
                            text.empty() ? "" : "; ", library.name, fmt::join(refused, ", "), library.name);
    }
    return text;
}

}  // namespace shelfd::control
