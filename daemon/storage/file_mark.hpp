// Identity of a file that distinguishes it from a copy and survives a restart of the machine.
#pragma once

#include <cstdint>
#include <string>

namespace shelfd::storage {

// Contains no device numbers, and no file system ids derived from them: these change from boot to boot. Not changed by
// a rename, a mount elsewhere, a check of the file system or its growth. Members that the file system does not provide
// are unknown; all are unknown where files have no permanent identity (network, FUSE, overlay).
struct FileMark {
    std::uint64_t inode = 0;       // 0 = unknown
    std::int64_t birth = 0;        // nanoseconds since 1970; 0 = unknown
    std::uint32_t generation = 0;  // of the inode number, which may be reused; 0 = unknown
    std::string file_system = {};  // id with its source: "ext:…"; on btrfs, of the subvolume; "" = unknown

    friend bool operator==(const FileMark&, const FileMark&) = default;
};

bool is_known(const FileMark& mark);

// True if the file with mark `now` may be the one that had the mark `then`. The time of birth decides if both have it:
// a copy has its own, and a file that keeps it is the same even if its inode number changed (ext4, shrunk). A member
// that is unknown on one side is not compared.
bool may_be_same(const FileMark& then, const FileMark& now);

// Of an open file, by its descriptor.
FileMark mark_of(int file);

}  // namespace shelfd::storage
