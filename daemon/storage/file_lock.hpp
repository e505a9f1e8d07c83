// Who owns a store: a lock that the kernel drops when its holder dies, however it dies.
#pragma once

#include "base/file_descriptor.hpp"
#include "base/result.hpp"

#include <string>

namespace shelfd::storage {

// flock(2) on a file of its own, held as long as the object lives. (Not fcntl locks: any close of the file drops
// those.) The file is never renamed or removed, holds the holder's process id, and is left behind.
class FileLock {
public:
    // Error of kind busy, naming the holder, when somebody else has it. Does not wait.
    static Result<FileLock> acquire(const std::string& path);

    // False when the file was removed or replaced: somebody else may have locked the one that is there now.
    bool is_in_place() const;

private:
    FileLock(std::string path, FileDescriptor file) : path_(std::move(path)), file_(std::move(file)) {}
    std::string path_;
    FileDescriptor file_;
};

}  // namespace shelfd::storage
