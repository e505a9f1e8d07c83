// The token sets of libraries that cannot run, because of their mirror or their configuration: a set that nobody
// refreshes dies within days, so it is refreshed all the same, and used for nothing else.
#pragma once

#include "app/services/daemon_services.hpp"
#include "config/model/model.hpp"
#include "oauth/keeper/token_keeper.hpp"

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

namespace shelfd::app {

// Loop only. `services` must outlive it. Before it is destroyed, `release_all_but` must have released every set.
class AbsentSets {
public:
    explicit AbsentSets(DaemonServices& services);
    ~AbsentSets();
    AbsentSets(const AbsentSets&) = delete;
    AbsentSets& operator=(const AbsentSets&) = delete;

    // Opens the token store and refreshes the set when that is due. No effect if there is no set, or if that is done
    // already. `renewer`: the library that refreshes the set with this fingerprint; "" = none.
    asio::awaitable<void> keep(std::shared_ptr<const config::Library> library,
                               std::function<std::string(const std::string&)> renewer);
    // Completes an exchange and closes the token store, so that the library, or another program, can open it. Must not
    // be cancelled.
    asio::awaitable<void> release(std::string library);
    asio::awaitable<void> release_all_but(std::set<std::string> libraries);
    // Returns when every refresh that is due was tried.
    asio::awaitable<void> settle() const;

    // nullptr if the set of that library is not kept here.
    const oauth::TokenKeeper* find(const std::string& library) const;
    // The library whose refresh token has this fingerprint, or is refreshed here with it; "" = none.
    std::string holder_of(const std::string& fingerprint, const std::string& except) const;
    std::string renewer_of(const std::string& fingerprint) const;

private:
    struct One;
    asio::awaitable<void> note(One& one);
    asio::awaitable<std::unique_ptr<One>> open(std::shared_ptr<const config::Library> library);

    DaemonServices& services_;
    std::map<std::string, std::unique_ptr<One>> sets_;
};

}  // namespace shelfd::app
