#include "app/stores/named_library.hpp"

#include <algorithm>

namespace shelfd::app {

const config::Library* find_named(const config::Libraries& libraries, const std::string& name)
{
    const auto is_it = [&](const auto& library) { return library->name == name; };
    const auto found = std::find_if(libraries.begin(), libraries.end(), is_it);
    return found == libraries.end() ? nullptr : found->get();
}

}  // namespace shelfd::app
