// The answer to a browser's request while a login is under way.
#pragma once

#include "ctl/login/authorization.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace shelfd::ctl {

struct RedirectAnswer {
    std::string response;  // status line, headers and page; quotes nothing of the request
    // The code or the service's refusal; nullopt when the request answers another login or none.
    std::optional<Result<Secret>> outcome;
};

// `head`: the request line and the headers. `path`: that of redirect_uri; every other one is not found.
RedirectAnswer answer_redirect(std::string_view head, std::string_view path, const Authorization& authorization);

}  // namespace shelfd::ctl
