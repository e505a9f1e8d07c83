#include "ctl/moves/libraries_here.hpp"

#include "ctl/daemon/client.hpp"

namespace shelfd::ctl {

std::optional<StatusView> libraries_here(const Context& context, ExitCode& code)
{
    const auto answer = client_of(context).get("/v1/status");
    if (!answer) {
        code = fail_without_daemon(context, answer.error());
        return std::nullopt;
    }
    const auto checked = answer->check();
    auto status = checked ? read_status(answer->body) : Result<StatusView>(checked.error());
    if (!status) {
        code = fail(context, status.error());
        return std::nullopt;
    }
    return std::move(*status);
}

}  // namespace shelfd::ctl
