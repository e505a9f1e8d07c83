#include "ctl/login/known_library.hpp"

#include "control/model/unknown_names.hpp"
#include "ctl/daemon/client.hpp"
#include "ctl/status/status_view.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

namespace shelfd::ctl {

Result<void> check_known(const Context& context)
{
    const auto answer = client_of(context).get("/v1/status");
    const auto status = answer && answer->check() ? read_status(answer->body)
                                                  : Result<StatusView>(Error(ErrorKind::not_found, "no status"));
    if (!status) {
        return {};
    }
    auto names = status->absent;
    for (const auto& library : status->libraries) {
        names.push_back(library.name);
    }
    const auto& typed = context.command.library;
    return std::find(names.begin(), names.end(), typed) != names.end()
               ? Result<void>()
               : control::unknown_library(typed, std::move(names));
}

std::string other_holder(const Context& context, const config::Configuration& configuration, const std::string& id)
{
    const auto* own = configuration.find_library(context.command.library);
    const auto answer = client_of(context).get("/v1/status");
    const auto status = answer && answer->check() ? read_status(answer->body) : Error(ErrorKind::network, "");
    if (!status || own == nullptr || id.empty()) {
        return "";
    }
    for (const auto& other : status->libraries) {
        const auto* configured = configuration.find_library(other.name);
        const bool is_same_service = configured != nullptr && configured->service.base_url == own->service.base_url;
        if (other.name != own->name && other.library_id == id && is_same_service) {
            return fmt::format("{0} has the data of library {1} of the service already, and {2} would fetch them once "
                               "more; if {2} is to be another library, it needs a token set of that one",
                               other.name, id, own->name);
        }
    }
    return "";
}

}  // namespace shelfd::ctl
