// What may stand where an address is asked for: origins, whole addresses, proxies, paths at the service.
#pragma once

#include "base/result.hpp"

#include <string>
#include <string_view>

namespace shelfd::config {

// Each error is the rest of a sentence that begins with the key: "must be https: …".

// Scheme, host and port in lower case, without a slash at the end. The error says what an origin may not have.
Result<std::string> parse_origin(std::string_view text);
// An absolute https address, or http on loopback.
Result<void> check_url(std::string_view text);
Result<void> check_proxy(std::string_view text);
// A path at the service: begins with "/", no query, no way to another host.
Result<void> check_route(std::string_view text);

}  // namespace shelfd::config
