// The request limiters of the daemon: one for each limit group, shared by its libraries.
#pragma once

#include "budget/limiter.hpp"
#include "config/model/model.hpp"
#include "runtime/async/clock.hpp"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace shelfd::app {

// Loop only. A limiter outlives the libraries that use it, and every reload.
class Limiters {
public:
    // `mirrors`: the directory below which request logs are kept; "" = none is kept. `clock` must outlive this object.
    Limiters(const std::string& mirrors, Clock& clock, std::string boot_id)
        : directory_(mirrors.empty() ? "" : mirrors + "/.requests"), clock_(&clock), boot_id_(std::move(boot_id))
    {
    }

    // Which groups the libraries name that are to run. Before `rename` and `of`.
    void configure(const config::Libraries& libraries);
    // The limiter and the request log of a library that is renamed keep what they know; those that another library left
    // under the new name are given up. A group of other libraries is not renamed. Repeating it changes nothing. Blocks.
    // Errors: storage, permission.
    Result<void> rename(const std::string& from, const std::string& to);
    // The library's files are removed: one that comes later under its name begins anew.
    void forget(const std::string& library);
    // Returns the limiter of the library's group, created or set to its present limit. If the library was in another
    // group before, the limiter counts what was sent there in the last minute, and keeps its pause. Blocks: creates and
    // opens a file. Errors: storage, permission.
    Result<budget::Limiter*> of(const config::Library& library);
    const std::map<std::string, std::unique_ptr<budget::Limiter>>& by_group() const { return by_group_; }

private:
    Result<budget::Limiter*> of_group(const std::string& group, const config::Library& library);
    std::string group_before(const config::Library& library) const;
    bool is_used(const std::string& group) const;
    std::string log_of(const std::string& group) const;
    bool has_log(const std::string& group) const;
    void retire(const std::string& group);

    std::string directory_;
    Clock* clock_;
    std::string boot_id_;
    std::map<std::string, std::unique_ptr<budget::Limiter>> by_group_;
    std::vector<std::unique_ptr<budget::Limiter>> retired_;  // of groups without a library; permits may still use them
    std::map<std::string, std::string> groups_;              // by library: its last limit group
    std::set<std::string> named_groups_;                     // by `limit_group` of a library with another name
};

}  // namespace shelfd::app
