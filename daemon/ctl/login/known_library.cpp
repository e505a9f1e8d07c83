#include "ctl/login/known_library.hpp"

#include "control/model/unknown_names.hpp"
#include "ctl/daemon/client.hpp"
#include "ctl/status/status_view.hpp"

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

}  // namespace shelfd::ctl
