// A GET to the service of a library, as its configuration wants it; the token is the caller's to add.
#pragma once

#include "http/client.hpp"
#include "sync/library_context.hpp"

#include <string>

namespace shelfd::sync {

// `target` is a path at our origin, perhaps with a query.
http::Request service_request(const LibraryContext& context, const std::string& target);

}  // namespace shelfd::sync
