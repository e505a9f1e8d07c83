// Which file system a directory is on, as far as that can be recognised after a restart of the machine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace shelfd::app {

struct FileSystem {
    unsigned long type = 0;  // statfs(2), f_type; 0 = unknown
    // That of storage::FileMark, or "mount:" and the source of a network's file system or of FUSE, which have no id of
    // their own ("mount:nas:/export"); no blanks; "" = unknown.
    std::string id = {};
    friend bool operator==(const FileSystem&, const FileSystem&) = default;
};

// Of a directory, or of the nearest one above it that is there. Blocks.
FileSystem file_system_of(const std::string& directory);

// False only if that is known. A tmpfs is another one after each boot, an overlay one in each container; several of one
// kind count as the same, as do those on devices whose file system has no id.
bool may_be_same(const FileSystem& then, const FileSystem& now);

// The source of that mount in the text of /proc/self/mountinfo (proc(5)), its blanks as "\040"; "" = not found, or a
// device, whose name may change from boot to boot.
std::string mount_source(std::string_view mounts, std::uint64_t mount_id);

}  // namespace shelfd::app
