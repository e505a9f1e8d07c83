#include "control/api/lookup.hpp"

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
std::string names(const std::vector<Named>& all)
{
    std::string text;
    for (const auto& one : all) {
        text += (text.empty() ? "" : ", ") + one.name;
    }
    return text.empty() ? "none" : text;
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
        return Error(
            ErrorKind::not_found,
            fmt::format(
                "there is no library {} (there is: {}); after adding one to the configuration, run: shelfctl reload",
                library, names(status.libraries)));
    }
    if (!resource.empty() && find(found->resources, resource) == nullptr) {
        return Error(ErrorKind::not_found, fmt::format("library {} has no resource {} (it has: {})", library, resource,
                                                       names(found->resources)));
    }
    return {};
}

}  // namespace shelfd::control
