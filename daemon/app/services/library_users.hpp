// As which user of the service each library's token set answers, remembered across restarts: before the first canary of
// a start, the libraries of one user share their limit already.
#pragma once

#include "base/result.hpp"
#include "config/model/model.hpp"
#include "runtime/async/async_event.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace shelfd::app {

// Loop only, except `load` and `save`.
class LibraryUsers {
public:
    struct Known {
        std::string origin;  // a user of another service is somebody else
        std::string user;
        std::string group = {};  // the library whose limit it shares; "" = its own limit

        friend bool operator==(const Known&, const Known&) = default;
    };
    using All = std::map<std::string, Known>;  // by library

    // `mirrors`: the directory that also has the request logs; "" = nothing is loaded, and nothing saved.
    explicit LibraryUsers(const std::string& mirrors)
        : directory_(mirrors.empty() ? "" : mirrors + "/.requests"), path_(directory_ + "/.users")
    {
    }

    // Blocks. A file that is not there, or damaged, is no error: the next canaries say it again.
    void load();
    // Blocks; does not look at `all()`. Errors: storage, permission.
    Result<void> save(const All& all) const;

    // What the service said about the library's token set; "" says nothing.
    void record(const config::Library& library, const std::string& user);
    void forget(const std::string& library);
    // Takes the groups and renamed libraries of `shared`, and drops libraries that are not configured.
    void settle(const All& shared, const config::Libraries& configured);
    const All& all() const { return all_; }

    // Notified when `record` or `forget` changed something; `changes` counts that.
    AsyncEvent& news() { return news_; }
    std::uint64_t changes() const { return changes_; }

private:
    std::string directory_;
    std::string path_;
    All all_;
    std::uint64_t changes_ = 0;
    AsyncEvent news_;
};

}  // namespace shelfd::app
