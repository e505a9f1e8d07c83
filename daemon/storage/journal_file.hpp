// A preallocated file of fixed size that is written in place: the seam to the disk under the token journal.
#pragma once

#include "base/result.hpp"
#include "storage/file_mark.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace shelfd::storage {

// Calls block. One caller at a time. Errors are of kind storage with errno; EINTR and short transfers are handled
// inside.
class JournalFile {
public:
    virtual ~JournalFile() = default;

    // All of `bytes` at `offset`, inside the size the file was created with.
    virtual Result<void> pwrite(std::uint64_t offset, std::span<const std::byte> bytes) = 0;
    // fdatasync. After one failure the page cache can no longer be believed (fsyncgate): the caller must treat
    // this copy as bad until it has been opened again.
    virtual Result<void> sync() = 0;
    // An error when the next start would not find this file: it was removed, or another one was put in its place.
    virtual Result<void> check_place() = 0;
    virtual Result<void> read(std::uint64_t offset, std::span<std::byte> bytes) = 0;
    // What a copy of this file does not have.
    virtual FileMark mark() const = 0;
};

}  // namespace shelfd::storage
