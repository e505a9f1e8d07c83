#include "control/api/lookup.hpp"

#include "control/model/unknown_names.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace shelfd::control {
namespace {

template <typename Named>
const Named* find(const std::vector<Named>& all, const std::string& name)
{
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.name == name; });
    return found == all.end() ? nullptr : &*found;
}

template <typename Named>
std::vector<std::string> names(const std::vector<Named>& all)
{
    std::vector<std::string> found;
    for (const auto& one : all) {
        found.push_back(one.name);
    }
    return found;
}

}  // namespace

Result<void> check_names(const Status& status, const std::string& library, const std::string& resource)
{
    const auto* found = find(status.libraries, library);
    if (std::find(status.absent.begin(), status.absent.end(), library) != status.absent.end()) {
        return Error(ErrorKind::needs_person,
                     fmt::format("{} is configured but not running; shelfctl status shows why", library));
    }
    if (found == nullptr) {
        return unknown_library(library, names(status.libraries));
    }
    if (!resource.empty() && find(found->resources, resource) == nullptr) {
        return unknown_table(library, resource, names(found->resources));
    }
    return {};
}

}  // namespace shelfd::control
