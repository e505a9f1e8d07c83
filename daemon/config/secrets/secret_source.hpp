// Reads a secret from the place that the configuration names.
#pragma once

#include "base/result.hpp"
#include "base/secret.hpp"
#include "config/model/model.hpp"

#include <string>

namespace shelfd::config {

// Drops a byte order mark, and blanks and empty lines at both ends. Refuses an empty secret, more than one line or 64
// KiB, a zero byte, a file that every user may
// read, and a command that fails or takes longer than 10 s. The error names the reference and the cure, never a byte of
// the secret. `credentials_directory` is the service manager's, "" = none.
// Blocks, up to 10 s for a command: call it in a worker. Reads the source each time.
Result<Secret> read_secret(const SecretReference& reference, const std::string& credentials_directory);

}  // namespace shelfd::config
