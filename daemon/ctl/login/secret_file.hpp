// Reads a secret from a file that a person named.
#pragma once

#include "base/result.hpp"
#include "base/secret.hpp"

#include <string>

namespace shelfd::ctl {

// A file with a secret of one line, or with a token set, without line ends at its end. Errors: as reading it, with the
// path; usage, if it is empty.
Result<Secret> read_secret_file(const std::string& path);

}  // namespace shelfd::ctl
