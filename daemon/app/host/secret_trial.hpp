// Checks the client secrets at the start: which cannot be used, and whether the daemon can start without them.
#pragma once

#include "base/instant.hpp"
#include "base/result.hpp"
#include "config/model/model.hpp"
#include "control/model/status.hpp"

#include <string>
#include <vector>

namespace shelfd::app {

struct BadSecret {
    ErrorKind kind = ErrorKind::config;
    control::Notice notice;
};

// One for each library whose secret is an unusable file or credential, or comes from a program that is missing.
// Commands are not run: they may take long, and may need what does not exist yet. Blocks on files.
std::vector<BadSecret> find_bad_secrets(const config::Libraries& libraries, const std::string& credentials_directory,
                                        Instant now);

// An unusable secret keeps no other library from running, nor its own while the access token works. If all `libraries`
// have one, nothing was set up yet, or as another user: returns the error of the first.
Result<void> check_secrets(const std::vector<BadSecret>& bad, std::size_t libraries);

}  // namespace shelfd::app
