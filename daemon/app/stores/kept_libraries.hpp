// What is kept of libraries that are not in the configuration: finds, marks and describes it.
#pragma once

#include "app/services/daemon_services.hpp"
#include "app/stores/library_places.hpp"
#include "base/words/renames.hpp"
#include "config/model/model.hpp"
#include "control/model/status.hpp"

#include <boost/asio/awaitable.hpp>

#include <map>
#include <string>
#include <vector>

namespace shelfd::app {

struct KeptLibrary {
    std::string name;
    bool has_set = false;
    bool has_mirror = false;
    std::vector<std::string> library_ids = {};  // see kept_library_ids
    bool never_had_set = false;                 // by its mirror, if no set is there
};

StorePlaces places_of(const DaemonServices& services);

// Marks mirrors that no configured library fills any more as retired, logs those that were not marked yet, and returns
// all libraries of which something is kept. A file that cannot be marked or read is logged and skipped. `services` must
// outlive the call.
asio::awaitable<std::vector<KeptLibrary>> retire_unowned(DaemonServices& services, config::Libraries libraries);

// The same without marking or logging anything, for libraries that are not in effect yet.
struct Unowned {
    std::vector<KeptLibrary> kept;
    std::vector<NewName> unfilled;  // of `libraries`, those with neither a set nor rows, if something is kept
};
asio::awaitable<Unowned> find_unowned(const DaemonServices& services, config::Libraries libraries);

// Completes removals that were ordered before, and forgets the orders for libraries that are not configured. What fails
// is logged, and left for the next call.
asio::awaitable<void> finish_removals(DaemonServices& services, config::Libraries libraries);

// "antwerp is no longer configured; its token set is kept", for each. `unfilled`: configured libraries that have
// neither a set nor rows; if one of them may be the new name, the notice asks for the rename. Pure.
std::vector<control::Notice> describe_kept(const std::vector<KeptLibrary>& kept, const std::vector<NewName>& unfilled);

// By library that has no token set: the former name under which its set is probably kept. Pure.
std::map<std::string, std::string> likely_former_names(const std::vector<KeptLibrary>& kept,
                                                       const std::vector<NewName>& unfilled);

}  // namespace shelfd::app
