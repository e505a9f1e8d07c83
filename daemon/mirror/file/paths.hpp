// Creates the directory and file of a mirror so that readers can read and only the daemon can write.
#pragma once

#include "base/accounts/accounts.hpp"
#include "base/instant.hpp"
#include "base/result.hpp"

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::mirror {

// What was at the place of a mirror before.
enum class FoundFiles {
    none,
    traces,  // no such file, but its -wal or -shm, its snapshot, or one that was set aside
    file,
};

struct PreparedFiles {
    FoundFiles before;
    std::optional<Error> closed;  // why the readers have no right to the files; empty: they have it
};

// Creates the directory (0750; group and set-gid are inherited from its parent) and an empty file (0640), or restores
// these modes on existing ones, including -wal and -shm. Call before SQLite opens the file: SQLite gives -wal and -shm
// the file's mode, and closing any descriptor of a file that SQLite has open would drop SQLite's locks. With `readers`
// see set_mirror_access; the files are 0600 if that fails.
Result<PreparedFiles> prepare_files(const std::string& directory, const std::string& file,
                                    const std::vector<Account>& readers = {});

// Of a file that was created, until a mirror is in it. An empty file is otherwise one that was emptied.
bool is_marked_unfilled(const std::string& file);
void unmark_filled(const std::string& file);

// Removes a file and its -wal and -shm, as far as that succeeds. Nobody may have it open.
void remove_file(const std::string& file);

// Identifies the file at a path; it differs after the file was removed or replaced.
struct FileIdentity {
    dev_t device = 0;
    ino_t inode = 0;
    bool operator==(const FileIdentity&) const = default;
};

// Returns an empty optional if there is no such file.
Result<std::optional<FileIdentity>> identity_of(const std::string& file);

// Time and size after the last write to a file. The kernel's clock has a resolution of a few milliseconds.
struct FileWriting {
    std::int64_t modified = 0;  // nanoseconds since 1970; 0 = no file
    std::int64_t bytes = 0;
    bool operator==(const FileWriting&) const = default;
};

Result<FileWriting> writing_of(const std::string& file);

// Removes -wal and -shm of a file if its -wal is this one.
Result<void> remove_wal(const std::string& file, const std::optional<FileIdentity>& wal);

// Removes files of its directory for whose names `goes` returns true. Stops at the first that cannot be removed.
Result<void> remove_beside(const std::string& file, const std::function<bool(const std::string& name)>& goes);

// Removes copies that the daemon made: the snapshot, and files that were set aside. Needed when members become
// excluded.
Result<void> remove_copies(const std::string& file);

// Renames a broken file, with its -wal and -shm, and removes those set aside earlier. Readers that have it open keep
// it. Returns the new name.
Result<std::string> set_aside(const std::string& file, Instant now);

// Removes that file with its -wal and -shm, if it lies beside `file` and was set aside. What cannot be removed stays.
void remove_aside(const std::string& file, const std::string& aside);

}  // namespace shelfd::mirror
