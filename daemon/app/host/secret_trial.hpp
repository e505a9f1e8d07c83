// The client secrets as a start finds them: which cannot be used, and whether that keeps the daemon from starting.
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

// One for each library whose secret is a file or a credential that cannot be used. Commands are left for their time:
// they may take long, and need what is not there yet. Blocks on files.
std::vector<BadSecret> find_bad_secrets(const config::Libraries& libraries, const std::string& credentials_directory,
                                        Instant now);

// One library's bad secret keeps no other from being mirrored, nor itself while its access token lives. Where all
// `libraries` are bad, nothing was set up yet, or as another user: the error of the first.
Result<void> check_secrets(const std::vector<BadSecret>& bad, std::size_t libraries);

}  // namespace shelfd::app
