// A request as the bytes that are sent.
#pragma once

#include "http/client.hpp"
#include "http/curl/header_list.hpp"
#include "http/url.hpp"

#include <string_view>

namespace shelfd::http {

// The whole request as HTTP/1.1 (RFC 9112 section 3), for the service or for a proxy that forwards it; `headers` are
// those of the request. In one buffer that did not grow, so that no copy of a secret is left.
Secret bare_request(const Request& request, const Url& url, const HeaderList& headers, std::string_view user_agent);

}  // namespace shelfd::http
