// Undoes the content codings gzip and deflate.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace shelfd::oauth {

// Returns what gzip (RFC 1952), zlib (RFC 1950) or deflate (RFC 1951) data says: as much as can be read, even if the
// end or the checksum is missing, and at most `most` bytes. "" for anything else. The result may hold secrets.
std::string inflated(std::string_view data, std::size_t most);

}  // namespace shelfd::oauth
