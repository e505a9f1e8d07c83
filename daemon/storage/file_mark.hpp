// What tells a file from a copy of it, and stays when the machine restarts.
#pragma once

#include <cstdint>
#include <string>

namespace shelfd::storage {

// Device numbers are no part of it: they change from boot to boot, and with them the ids of file systems that are made
// of them. A rename, a mount elsewhere, a check or a growth of the file system changes nothing here. What a file system
// does not keep is not known: nothing where files have no lasting identity (network, FUSE, overlay).
struct FileMark {
    std::uint64_t inode = 0;       // 0 = not known
    std::int64_t birth = 0;        // nanoseconds since 1970; 0 = not known
    std::uint32_t generation = 0;  // of the inode number, which may be used again; 0 = not known
    std::string file_system =
        {};  // its own id, with the source of it: "ext:…"; of btrfs of the subvolume; "" = not known

    friend bool operator==(const FileMark&, const FileMark&) = default;
};

bool is_known(const FileMark& mark);

// Whether a file of the mark `now` may be the one that had the mark `then`. The time of birth decides where both have
// it: no copy has that of another file, and a file that keeps it is the same one even if its inode number changed
// (ext4, shrunk). What is not known on one side proves nothing.
bool may_be_same(const FileMark& then, const FileMark& now);

FileMark mark_of(int file);

}  // namespace shelfd::storage
