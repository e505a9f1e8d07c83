// Who reads the change feed of a mirror under a name, and how far.
#pragma once

#include "base/instant.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::mirror {

struct FeedConsumer {
    std::string name;
    std::string position;                  // acknowledged
    std::uint64_t waiting = 0;             // changes after it
    std::optional<Instant> waiting_since;  // when the first of them was seen
    Instant acknowledged_at;
    std::string acknowledged_by;           // a user; the first one owns the name
    bool must_read_tables = false;         // changes after its position are no longer kept, or were never in this feed
    std::vector<std::string> loaded = {};  // tables that received rows after its position that no change tells of
};

// What a consumer has taken over, up to a position.
struct Acknowledgement {
    std::string consumer;
    std::string position;
    std::string user;         // who says so
    bool of_anybody = false;  // that user may speak for every consumer
};

}  // namespace shelfd::mirror
