#include "app/stores/named_library.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace shelfd::app {

const config::Library* find_named(const config::Libraries& libraries, const std::string& name)
{
    const auto is_it = [&](const auto& library) { return library->name == name; };
    const auto found = std::find_if(libraries.begin(), libraries.end(), is_it);
    return found == libraries.end() ? nullptr : found->get();
}

std::string describe_change(const config::Libraries& before, const config::Library& now)
{
    const auto* known = find_named(before, now.name);
    if (known == nullptr) {
        const bool is_renamed = find_named(before, now.formerly) != nullptr;
        return fmt::format("library {} {}", now.name, is_renamed ? "is the new name of " + now.formerly : "added");
    }
    if (*known == now) {
        return fmt::format("library {} restarts after a bug", now.name);
    }
    // What is configured for it may be the same: the limit that it shares with others is not.
    auto same = *known;
    same.shared_limit = now.shared_limit;
    return fmt::format("library {} {}", now.name, same == now ? "has another request limit" : "changed");
}

}  // namespace shelfd::app
