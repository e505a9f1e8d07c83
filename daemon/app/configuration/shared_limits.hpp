// Libraries whose token sets are one user's share one request limit: the service counts requests by user.
#pragma once

#include "app/services/library_users.hpp"
#include "config/model/model.hpp"
#include "control/model/status.hpp"

#include <string>
#include <vector>

namespace shelfd::app {

struct LimitSharing {
    config::Libraries libraries;  // those whose shared limit stays as it is are the same objects
    LibraryUsers::All users;      // of these libraries only, each with its group
};

// Libraries of one origin and one user join the limit of one of them; the smallest rate_limit applies. Left alone are
// those with a limit_group other than their name, and those whose name is the limit_group of others. A group that is
// in use stays, so that a library that joins moves nobody else.
LimitSharing share_limits(const config::Libraries& libraries, const LibraryUsers::All& users);

// A sentence for each group that libraries have joined or left.
std::vector<std::string> describe_sharing(const config::Libraries& before, const config::Libraries& after);

// For each user whose libraries have more than one limit, because the configuration says so.
std::vector<control::Notice> describe_parted_limits(const config::Libraries& libraries, const LibraryUsers::All& users);

}  // namespace shelfd::app
