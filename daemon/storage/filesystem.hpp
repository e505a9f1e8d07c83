// Directories that hold secrets, whether their file system can keep data durably, and files that are replaced whole.
#pragma once

#include "base/result.hpp"
#include "storage/file_mark.hpp"

#include <optional>
#include <string>
#include <string_view>

#include <sys/types.h>

namespace shelfd::storage {

enum class Safety { required, waived };

// Creates `path` and its missing parents with mode 0700, and syncs each in its parent. An existing `path` must be a
// directory of this user that nobody else may enter; otherwise fails with kind permission and the command that corrects
// it.
Result<void> make_private_directory(const std::string& path);

// fsync of a directory: its names survive a power cut.
Result<void> sync_directory(const std::string& path);
// The identity of a directory; all members are unknown if it cannot be opened.
FileMark mark_of_directory(const std::string& path);
// fdatasync of a file that is open elsewhere: data written to it survives a power cut.
Result<void> sync_file(const std::string& path);

// Fails with kind config if `path` is on a file system that loses data at power-off (tmpfs, ramfs), is served by
// another machine (NFS, SMB, Ceph, 9P, FUSE), or copies on write into a container's layer (overlay).
Result<void> check_durable(const std::string& path, Safety safety);

enum class Durability {
    kernel,  // lost by a power cut before the kernel has written it: for files that can be made again
    disk,    // the bytes and the name survive a power cut
};

struct FileOwner {
    uid_t user;
    gid_t group;
};

// Who may replace the same file at the same time.
enum class Replacers {
    one,      // the caller holds a lock
    several,  // each writes a file of its own; the last one that is renamed stays
};

struct Replacement {
    mode_t mode = 0600;  // whatever the umask is
    Durability durability = Durability::kernel;
    std::optional<FileOwner> owner = {};  // without the right to give files away, the file is that of this process
    Replacers replacers = Replacers::one;
};

// Readers find the old file or the new one. It is written beside the old one as ".NAME.new" (several of them use
// ".NAME.PID.new"), which programs that read names like *.toml or *.prom do not see, and renamed; what a killed process
// left under that name is removed first.
// After a failure the old file is as it was. Blocks. Errors: storage, or permission (EACCES, EPERM, EROFS), with the
// path and errno.
Result<void> replace_file(const std::string& path, std::string_view bytes, const Replacement& how);

// True if `path` leads to the file open as `file`, or if that cannot be determined; false if it leads nowhere or to
// another file.
bool leads_to(const std::string& path, int file);

// "no space left on device (28)": the text of an errno. Any thread.
std::string errno_text(int number);
// Returns an error of kind storage (permission for EACCES and EPERM) with errno set: "cannot open /x: …".
Error errno_error(const std::string& what, int number);

}  // namespace shelfd::storage
