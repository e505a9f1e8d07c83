// Directories that hold secrets, and whether their file system can keep data durably.
#pragma once

#include "base/result.hpp"

#include <string>

namespace shelfd::storage {

enum class Safety { required, waived };

// Creates `path` and its missing parents with mode 0700, and syncs each in its parent. An existing `path` must be a
// directory of this user that nobody else may enter; otherwise fails with kind permission and the command that corrects
// it.
Result<void> make_private_directory(const std::string& path);

// fsync of a directory: its names survive a power cut.
Result<void> sync_directory(const std::string& path);
// fdatasync of a file that is open elsewhere: data written to it survives a power cut.
Result<void> sync_file(const std::string& path);

// Fails with kind config if `path` is on a file system that loses data at power-off (tmpfs, ramfs), is served by
// another machine (NFS, SMB, Ceph, 9P, FUSE), or copies on write into a container's layer (overlay).
Result<void> check_durable(const std::string& path, Safety safety);

// True if `path` leads to the file open as `file`, or if that cannot be determined; false if it leads nowhere or to
// another file.
bool leads_to(const std::string& path, int file);

// "no space left on device (28)": the text of an errno. Any thread.
std::string errno_text(int number);
// Returns an error of kind storage (permission for EACCES and EPERM) with errno set: "cannot open /x: …".
Error errno_error(const std::string& what, int number);

}  // namespace shelfd::storage
