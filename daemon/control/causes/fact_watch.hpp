// Remembers facts about the service: a change of one is an event that is announced.
#pragma once

#include "control/model/cause.hpp"
#include "control/model/status.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace shelfd::control {

// Remembers, for each library, whether refreshes rotate, the lifetime of tokens, the scope and the request limit.
class FactWatch {
public:
    using Facts = std::map<std::string, std::string>;  // by name
    using Known = std::map<std::string, Facts>;        // by library

    FactWatch() = default;
    explicit FactWatch(Known known) : known_(std::move(known)) {}

    // A momentary cause for each fact of a service that changed since the last call; a fact that was not known before
    // is no change. Libraries that are gone are forgotten.
    std::vector<Cause> compare(const Status& status);
    const Known& known() const { return known_; }
    // Whether they have changed since the last call of this function.
    bool take_changed() { return std::exchange(changed_, false); }

private:
    Known known_;
    bool changed_ = false;
};

}  // namespace shelfd::control
