// The location of a library's mirror, and how much history it keeps.
#pragma once

#include "base/accounts/accounts.hpp"
#include "base/instant.hpp"
#include "base/result.hpp"
#include "mirror/file/handle_pool.hpp"
#include "mirror/values/specs.hpp"
#include "runtime/async/clock.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace shelfd::mirror {

struct MirrorOptions {
    std::string directory = {};  // mirrors/LIBRARY; created if absent, its parent is not
    std::string library = {};    // the file is DIRECTORY/LIBRARY.db
    const Clock& clock;
    std::string boot_id = {};                          // if it changed: quick_check before the first write; "" = never
    Duration retention = std::chrono::hours(24 * 90);  // of runs, proofs and drift
    ChangeLimits change_limits = {};
    DeletionLimits deletion_limits = {};
    std::vector<Account> readers = {};  // who may read it besides the daemon; none: the group of the directory
    std::shared_ptr<HandlePool> handles = std::make_shared<HandlePool>();  // shared by the mirrors of a process
    // Called before a file is made where none is; an error if the directory is not where the mirror was kept: its file
    // system may not be mounted. Then nothing is made, and the error is returned. Empty: it always is.
    std::function<Result<void>()> check_place = {};
};

}  // namespace shelfd::mirror
