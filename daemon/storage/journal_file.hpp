// A preallocated file of fixed size, written in place: the interface between the token journal and the disk.
#pragma once

#include "base/result.hpp"
#include "storage/file_mark.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace shelfd::storage {

// Calls block. One caller at a time. Errors are of kind storage with errno; EINTR and partial transfers are handled
// inside.
class JournalFile {
public:
    virtual ~JournalFile() = default;

    // Writes all of `bytes` at `offset`, within the size that the file was created with.
    virtual Result<void> pwrite(std::uint64_t offset, std::span<const std::byte> bytes) = 0;
    // fdatasync. After one failure the page cache is not reliable (fsyncgate): the caller must treat this copy as bad
    // until it has been opened again.
    virtual Result<void> sync() = 0;
    // Fails if the next start would not find this file because it was removed or replaced.
    virtual Result<void> check_place() = 0;
    virtual Result<void> read(std::uint64_t offset, std::span<std::byte> bytes) = 0;
    // Identity of the file, which a copy does not share.
    virtual FileMark mark() const = 0;
};

}  // namespace shelfd::storage
