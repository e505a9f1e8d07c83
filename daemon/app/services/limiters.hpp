// The request limiters of the daemon: one for each limit group, shared by its libraries.
#pragma once

#include "budget/limiter.hpp"
#include "config/model/model.hpp"
#include "runtime/async/clock.hpp"

#include <map>
#include <memory>
#include <string>

namespace shelfd::app {

// Loop only. A limiter outlives the libraries that use it, and every reload.
class Limiters {
public:
    // `mirrors`: the directory below which request logs are kept; "" = none is kept. `clock` must outlive this object.
    Limiters(const std::string& mirrors, Clock& clock, std::string boot_id)
        : directory_(mirrors.empty() ? "" : mirrors + "/.requests"), clock_(&clock), boot_id_(std::move(boot_id))
    {
    }

    // Returns the limiter of the library's group, created or set to its present limit. If the library was in another
    // group before, the limiter counts what was sent there in the last minute; so it does for a renamed library, whose
    // own request log is found under its former name. Blocks: creates and opens a file.
    // Errors: storage, permission.
    Result<budget::Limiter*> of(const config::Library& library);
    const std::map<std::string, std::unique_ptr<budget::Limiter>>& by_group() const { return by_group_; }

private:
    Result<void> take_log_of_former_name(const config::Library& library);
    Result<budget::Limiter*> of_group(const std::string& group, const config::Library& library);

    std::string directory_;
    Clock* clock_;
    std::string boot_id_;
    std::map<std::string, std::unique_ptr<budget::Limiter>> by_group_;
    std::map<std::string, std::string> groups_;  // by library: its last limit group
};

}  // namespace shelfd::app
