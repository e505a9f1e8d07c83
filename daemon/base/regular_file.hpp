// Opens and reads files: regular ones only, of bounded size, and without waiting.
#pragma once

#include "base/file_descriptor.hpp"
#include "base/result.hpp"

#include <cerrno>
#include <cstddef>
#include <string>

#include <fcntl.h>
#include <sys/types.h>

namespace shelfd {

// Opens `path` with `flags` of open(2) and O_CLOEXEC. A named pipe or a device at that place neither blocks nor is read
// from or written to. The text of an error is the reason alone, to be put behind "cannot open PATH: "; its errno is set
// where open(2) failed. Kinds: permission for EACCES and EPERM, config for what is no regular file, else storage.
Result<FileDescriptor> open_regular_file(const std::string& path, int flags = O_RDONLY, mode_t mode = 0);

// Appends everything from the beginning of `file` to its end. Where `into` has room for `largest` + 1 bytes from the
// start, it is never moved, so that no copy of a secret is left behind. An error of kind config when there is more than
// `largest`. Files of /proc, whose size nobody knows before, are read in the same way.
Result<void> read_all(const FileDescriptor& file, std::string& into, std::size_t largest);

// Both together.
Result<std::string> read_regular_file(const std::string& path, std::size_t largest);

// Whose file or directory may be believed when what it says is carried out.
enum class Owner { root_or_us, anybody };

// An error of kind permission, with the command that mends it, when others than its owner may write to the open
// `file`, or its owner is neither root nor the user of this process.
Result<void> check_writers(const FileDescriptor& file, const std::string& path, Owner owner);

// Whether an errno means a temporary shortage of this process or machine: no file needs correction, and a later try may
// succeed.
constexpr bool is_shortage(int number)
{
    return number == EMFILE || number == ENFILE || number == ENOMEM || number == ENOBUFS || number == EIO;
}

}  // namespace shelfd
