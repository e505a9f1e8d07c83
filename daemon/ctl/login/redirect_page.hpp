// The answer to a browser's request during a login.
#pragma once

#include "ctl/login/authorization.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace shelfd::ctl {

struct RedirectAnswer {
    std::string response;  // status line, headers and page; contains nothing of the request
    // The code or the service's error; empty if the request belongs to another login or to none.
    std::optional<Result<Secret>> outcome;
};

// `head`: request line and headers. `path`: of redirect_uri; any other one gets a 404.
RedirectAnswer answer_redirect(std::string_view head, std::string_view path, const Authorization& authorization);

}  // namespace shelfd::ctl
