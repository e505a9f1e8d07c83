// One GET over a plain socket, as a browser would send it; redirects are not followed.
#pragma once

#include <string>

namespace shelfd {

// `url` is http://ADDRESS:PORT/…; the answer as it came, "" when nobody listens there.
std::string plain_get(const std::string& url);

// The value of a header of such an answer; "" when it has none.
std::string header_of(const std::string& answer, const std::string& name);

// A port of the loopback address that nobody listens on.
int free_port();

}  // namespace shelfd
