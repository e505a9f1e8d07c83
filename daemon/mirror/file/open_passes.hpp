// The open passes of one mirror: while there is one, its file is neither closed nor replaced.
#pragma once

#include "base/result.hpp"

#include <map>
#include <optional>
#include <string>

namespace shelfd::mirror {

class OpenPasses {
public:
    bool empty() const { return broken_.empty(); }
    bool contains(const std::string& resource) const { return broken_.contains(resource); }

    // `broken` belongs to the pass and must live until `close`. One pass for each resource.
    void open(const std::string& resource, std::optional<Error>& broken) { broken_[resource] = &broken; }
    void close(const std::string& resource) { broken_.erase(resource); }
    // Gives this error to all passes that have none yet; they can only end.
    void break_all(const Error& met)
    {
        for (const auto& [resource, broken] : broken_) {
            *broken = broken->value_or(met);
        }
    }

private:
    std::map<std::string, std::optional<Error>*> broken_;
};

}  // namespace shelfd::mirror
