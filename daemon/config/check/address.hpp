// Checks addresses: origins, whole addresses, proxies, paths at the service.
#pragma once

#include "base/result.hpp"

#include <string>
#include <string_view>

namespace shelfd::config {

// The text of each error completes a sentence that begins with the key: "must be https: …".

// Returns scheme, host and port in lower case, without a trailing slash. The error says what an origin may not have.
Result<std::string> parse_origin(std::string_view text);
// Accepts an absolute https address, or http on loopback.
Result<void> check_url(std::string_view text);
Result<void> check_proxy(std::string_view text);
// Accepts a path at the service: begins with "/", without a query or a way to another host.
Result<void> check_route(std::string_view text);
// Accepts a numeric address and a port on this machine: "127.0.0.1:9464", "[::1]:9464".
Result<void> check_listen(std::string_view text);
// Whether only programs on this machine can reach an address that `check_listen` accepts.
bool is_loopback_listen(std::string_view text);

}  // namespace shelfd::config
