// Opens, reads and writes regular files, without blocking on a file of another kind.
#pragma once

#include "base/file_descriptor.hpp"
#include "base/result.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <sys/types.h>

namespace shelfd {

// Opens `path` with `flags` of open(2) and O_CLOEXEC. Does not block on a named pipe or a device, and neither reads
// from nor writes to one. The text of an error is the reason only; callers put "cannot open PATH: " before it. Its
// errno is set when open(2) failed. Kinds: permission for EACCES and EPERM, config when it is not a regular file,
// otherwise storage.
Result<FileDescriptor> open_regular_file(const std::string& path, int flags = O_RDONLY, mode_t mode = 0);

// Appends all of `file` to `into`. If `into` has a capacity of `largest` + 1 bytes, it is never reallocated, so that no
// copy of a secret stays in freed memory. Fails with kind config when the file holds more than `largest` bytes. Also
// reads files of /proc, whose size is not known in advance.
Result<void> read_all(const FileDescriptor& file, std::string& into, std::size_t largest);

// `open_regular_file` and `read_all` in one call.
Result<std::string> read_regular_file(const std::string& path, std::size_t largest);

// Writes all of `bytes` into `file` from the byte `place` on; the position of the descriptor stays. False, with errno
// set, if it could not: then a part may be written.
[[nodiscard]] bool write_all(const FileDescriptor& file, std::string_view bytes, std::uint64_t place);

// Required owner of a file or directory whose content decides what the daemon does.
enum class Owner { root_or_us, anybody };

// Whether the sticky bit of a directory is protection enough: others may add names, but replace none.
enum class Sticky { protects, protects_not };

// Fails with kind permission, and the command that corrects it, when users other than the owner may write to the open
// `file` or directory, or when its owner is neither root nor the user of this process. In a directory that is mounted
// read-only nobody replaces a name. (A file that is mounted read-only may be written where it comes from.)
Result<void> check_writers(const FileDescriptor& file, const std::string& path, Owner owner,
                           Sticky sticky = Sticky::protects_not);

// Whether an errno means a temporary shortage of this process or machine: no file needs correction, and a later try may
// succeed.
constexpr bool is_shortage(int number)
{
    return number == EMFILE || number == ENFILE || number == ENOMEM || number == ENOBUFS || number == EIO;
}

}  // namespace shelfd
