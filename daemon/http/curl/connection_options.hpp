// The options of a libcurl handle for where it connects, by which route, whom it trusts, and how long it waits.
#pragma once

#include "http/client.hpp"

namespace shelfd::http {

// The request must outlive the handle's use.
void set_connection_options(void* easy, const Request& request);

}  // namespace shelfd::http
