// A copy of a mirror at one time, in a file that can be opened anywhere and does not change while it is read.
#pragma once

#include "base/instant.hpp"
#include "base/result.hpp"

#include <cstdint>
#include <string>

namespace shelfd::mirror {

struct SnapshotOrder {
    std::string mirror = {};                  // the file to copy
    std::string target = {};                  // replaced as a whole, or not at all
    Instant now = {};                         // column `snapshot_at` of `freshness`
    std::uint64_t leave_free = 256ULL << 20;  // bytes that must remain free on the disk, for passes
};

struct SnapshotOutcome {
    std::uint64_t tables = 0;
    std::uint64_t bytes = 0;
};

// Copies tables and views for readers with their indexes; of our own tables only `freshness`, as a table with its
// present values. No WAL, no other files. Reads through its own connection in one read transaction, so any lane may
// call it while passes continue. Blocks until written. Errors: storage; the old snapshot then remains.
Result<SnapshotOutcome> write_snapshot(const SnapshotOrder& order);

// DIRECTORY/LIBRARY.snapshot.db for DIRECTORY/LIBRARY.db.
std::string snapshot_path(const std::string& mirror);

}  // namespace shelfd::mirror
