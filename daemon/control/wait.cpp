#include "control/wait.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace shelfd::control {
namespace {

bool counts(const ResourceStatus& resource, const WaitRequest& request)
{
    if (!request.resource.empty()) {
        return resource.name == request.resource;
    }
    return resource.state != State::retired && resource.state != State::paused;
}

bool is_there(const ResourceStatus& resource, const Status& status, const WaitRequest& request)
{
    if (request.fresh) {
        return resource.as_of && status.now - *resource.as_of <= *request.fresh;
    }
    return resource.state == State::fresh;
}

std::string describe(const LibraryStatus& library, const ResourceStatus& resource, const Status& status)
{
    auto text = fmt::format("{} {}: {}", library.name, resource.name, to_string(resource.state));
    if (resource.running && resource.running->page > 0) {
        text += fmt::format(", page {}", resource.running->page);
        text += resource.running->pages > 0 ? fmt::format(" of {}", resource.running->pages) : "";
    } else if (!resource.why.empty()) {
        text += ", " + resource.why;
    } else if (resource.as_of) {
        text += fmt::format(", {} old", describe_duration(std::max(Duration(0), status.now - *resource.as_of)));
    }
    return text;
}

Result<void> check_names(const Status& status, const WaitRequest& request)
{
    if (request.library.empty()) {
        return {};
    }
    const auto library = std::find_if(status.libraries.begin(), status.libraries.end(),
                                      [&](const auto& one) { return one.name == request.library; });
    if (library == status.libraries.end()) {
        return Error(ErrorKind::not_found, fmt::format("there is no library {}", request.library));
    }
    const auto& resources = library->resources;
    const bool known =
        request.resource.empty() ||
        std::any_of(resources.begin(), resources.end(), [&](const auto& one) { return one.name == request.resource; });
    if (!known) {
        return Error(ErrorKind::not_found,
                     fmt::format("library {} has no resource {}", request.library, request.resource));
    }
    return {};
}

}  // namespace

Result<std::vector<std::string>> not_there_yet(const Status& status, const WaitRequest& request)
{
    if (auto checked = check_names(status, request); !checked) {
        return checked.error();
    }
    std::vector<std::string> missing;
    for (const auto& library : status.libraries) {
        if (!request.library.empty() && library.name != request.library) {
            continue;
        }
        for (const auto& resource : library.resources) {
            if (counts(resource, request) && !is_there(resource, status, request)) {
                missing.push_back(describe(library, resource, status));
            }
        }
    }
    return missing;
}

}  // namespace shelfd::control
