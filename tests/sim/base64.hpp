// Base64 (RFC 4648 section 4), for cursors, HTTP Basic and PKCE.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace shelfd::sim {

std::string encode_base64(std::string_view bytes);
// nothing for anything but padded base64.
std::optional<std::string> decode_base64(std::string_view text);

}  // namespace shelfd::sim
