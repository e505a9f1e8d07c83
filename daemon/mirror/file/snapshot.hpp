// A copy of a mirror at one moment, in a file that opens anywhere and never changes while it is read.
#pragma once

#include "base/instant.hpp"
#include "base/result.hpp"

#include <cstdint>
#include <string>

namespace shelfd::mirror {

struct SnapshotOrder {
    std::string mirror = {};                  // the file that is copied
    std::string target = {};                  // replaced as a whole, or not at all
    Instant now = {};                         // column `snapshot_at` of `freshness`
    std::uint64_t leave_free = 256ULL << 20;  // bytes that the disk must still have afterwards, for passes
};

struct SnapshotOutcome {
    std::uint64_t tables = 0;
    std::uint64_t bytes = 0;
};

// Tables and views for readers, indexes included; of ours only `freshness`, as a table with the values of that moment.
// No WAL, nothing beside the file. Reads through a connection of its own, in one read transaction: call it in any lane,
// passes go on meanwhile. Blocks as long as writing takes. Errors: storage, with the old snapshot still in its place.
Result<SnapshotOutcome> write_snapshot(const SnapshotOrder& order);

// DIRECTORY/LIBRARY.snapshot.db for DIRECTORY/LIBRARY.db.
std::string snapshot_path(const std::string& mirror);

}  // namespace shelfd::mirror
