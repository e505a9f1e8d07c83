// The directory and the file of a mirror: made so that readers can read and nobody but the daemon can write.
#pragma once

#include "base/instant.hpp"
#include "base/result.hpp"

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace shelfd::mirror {

// Makes the directory (0750; the group, and set-gid, come from its parent) and an empty file (0640), or gives those
// that are there, -wal and -shm included, these modes again: readers can read, nobody else can write. To be called
// before SQLite opens it: SQLite gives -wal and -shm the file's mode, and closing a file that SQLite has open would
// drop SQLite's locks.
Result<void> prepare_files(const std::string& directory, const std::string& file);

// Which file lies under a name: not the same one any more once somebody has removed or replaced it.
struct FileIdentity {
    dev_t device = 0;
    ino_t inode = 0;
    bool operator==(const FileIdentity&) const = default;
};

// Nothing when there is no such file.
Result<std::optional<FileIdentity>> identity_of(const std::string& file);

// When a file was written last, and how long that left it. The kernel's clock goes by ticks of a few milliseconds.
struct FileWriting {
    std::int64_t modified = 0;  // nanoseconds since the epoch; 0: there is no file
    std::int64_t bytes = 0;
    bool operator==(const FileWriting&) const = default;
};

Result<FileWriting> writing_of(const std::string& file);

// Removes -wal and -shm beside a file if the former is this very one.
Result<void> remove_wal(const std::string& file, const std::optional<FileIdentity>& wal);

// Removes the files of its directory whose names are such as `goes` says. The first that cannot be removed ends it.
Result<void> remove_beside(const std::string& file, const std::function<bool(const std::string& name)>& goes);

// Copies that the daemon made of a mirror: its snapshot, and what was set aside. For when members become excluded.
Result<void> remove_copies(const std::string& file);

// Moves a broken file, with its -wal and -shm, out of the way, beside which only the newest of its kind stays. Readers
// who have it open keep it. Returns its new name.
Result<std::string> set_aside(const std::string& file, Instant now);

}  // namespace shelfd::mirror
