// Directories that keep secrets, and whether the file system below them can keep a promise.
#pragma once

#include "base/result.hpp"

#include <string>

namespace shelfd::storage {

enum class Safety { required, waived };

// Creates `path` and its missing parents with mode 0700, each made durable in its parent. One that is there already
// must be a directory of ours that nobody else may enter: else an error of kind permission that says what to type.
Result<void> make_private_directory(const std::string& path);

// fsync of a directory, so that the names in it survive a power cut.
Result<void> sync_directory(const std::string& path);
// fdatasync of a file that somebody else has open, so that what was written to it survives a power cut.
Result<void> sync_file(const std::string& path);

// An error of kind config when `path` lies on a file system that forgets at power-off (tmpfs, ramfs), answers from
// another machine (NFS, SMB, Ceph, 9P, FUSE), or copies on write into a container's layer (overlay).
Result<void> check_durable(const std::string& path, Safety safety);

// Whether `path` leads to the file that is open as `file`, or nobody can tell: false where it leads nowhere or
// elsewhere.
bool leads_to(const std::string& path, int file);

// "no space left on device (28)": the text of an errno, safe on any thread.
std::string errno_text(int number);
// An error of kind storage (permission for EACCES and EPERM) with errno attached: "cannot open /x: …".
Error errno_error(const std::string& what, int number);

}  // namespace shelfd::storage
