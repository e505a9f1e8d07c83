// The directory and the file of a mirror: made so that readers can read and nobody but the daemon can write.
#pragma once

#include "base/instant.hpp"
#include "base/result.hpp"

#include <string>

namespace shelfd::mirror {

// Makes the directory (0750; the group, and set-gid, come from its parent) and an empty file (0640), or gives those
// that are there, -wal and -shm included, these modes again: readers can read, nobody else can write. To be called
// before SQLite opens it: SQLite gives -wal and -shm the file's mode, and closing a file that SQLite has open would
// drop SQLite's locks.
Result<void> prepare_files(const std::string& directory, const std::string& file);

// Moves a broken file, with its -wal and -shm, out of the way, beside which only the newest of its kind stays. Readers
// who have it open keep it. Returns its new name.
Result<std::string> set_aside(const std::string& file, Instant now);

}  // namespace shelfd::mirror
