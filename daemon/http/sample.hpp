// What a message shows of an answer that is not JSON.
#pragma once

#include <string>
#include <string_view>

namespace shelfd::http {

// The first 200 bytes of the body, on one line. Text that may be JSON can hold data and is not shown; a long word with
// a digit can be a token that the server echoes, and is shown as "...".
std::string sample(std::string_view body);

// "the service answered 200 with something that is not JSON: …", with the sample.
std::string describe_not_json(int status, std::string_view body);

}  // namespace shelfd::http
