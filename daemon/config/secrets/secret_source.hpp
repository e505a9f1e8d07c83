// Fetches a secret from where the configuration says it is.
#pragma once

#include "base/result.hpp"
#include "base/secret.hpp"
#include "config/model/model.hpp"

#include <string>

namespace shelfd::config {

// One newline at the end is not part of the secret. Refused: nothing, more than 64 KiB, a zero byte, a file that every
// user may read, a command that fails or takes longer than 10 s. The error says which reference and what to do, never
// a byte of what was read. `credentials_directory` is the service manager's, "" = none.
// Blocks, up to 10 s for a command: call it from a worker. Reads anew each time.
Result<Secret> read_secret(const SecretReference& reference, const std::string& credentials_directory);

}  // namespace shelfd::config
