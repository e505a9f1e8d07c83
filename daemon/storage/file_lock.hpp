// An exclusive lock on a store. The kernel releases it when the holder dies.
#pragma once

#include "base/file_descriptor.hpp"
#include "base/result.hpp"

#include <string>

namespace shelfd::storage {

// flock(2) on a separate file, held as long as the object lives. (Not fcntl locks: closing any descriptor of the file
// releases those.) The file is never renamed or removed; it holds the owner's process id and is left in place.
class FileLock {
public:
    // Fails with kind busy, and names the holder, if another process has the lock. Does not wait.
    static Result<FileLock> acquire(const std::string& path);

    // False if the file was removed or replaced: another process may have locked the file that is there now.
    bool is_in_place() const;

private:
    FileLock(std::string path, FileDescriptor file) : path_(std::move(path)), file_(std::move(file)) {}
    std::string path_;
    FileDescriptor file_;
};

}  // namespace shelfd::storage
