#include "app/stores/file_system_mark.hpp"

#include "base/regular_file.hpp"
#include "storage/filesystem.hpp"

#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fcntl.h>
#include <filesystem>
#include <sstream>

namespace shelfd::app {
namespace {

namespace fs = std::filesystem;

// A line for each mount, of which a machine with containers has thousands.
constexpr std::size_t largest_mounts = 16U << 20U;

// NFS, CIFS, SMB 2, SMB 1, Ceph, 9P, AFS, FUSE and virtiofs.
constexpr std::array<unsigned long, 8> told_by_source = {0x6969,     0xff534d42, 0xfe534d42, 0x517b,
                                                         0x00c36400, 0x01021997, 0x5346414f, 0x65735546};

std::string source_of(const std::string& directory)
{
    struct statx found {};
    if (::statx(AT_FDCWD, directory.c_str(), 0, STATX_MNT_ID, &found) != 0 || (found.stx_mask & STATX_MNT_ID) == 0) {
        return "";
    }
    const auto mounts = read_regular_file("/proc/self/mountinfo", largest_mounts);
    const auto source = mounts ? mount_source(*mounts, found.stx_mnt_id) : std::string();
    return source.empty() ? "" : "mount:" + source;
}

}  // namespace

FileSystem file_system_of(const std::string& directory)
{
    std::error_code unknown;
    fs::path there = directory;
    while (!fs::is_directory(there, unknown) && there.has_relative_path()) {
        there = there.parent_path();
    }
    struct statfs found {};
    if (::statfs(there.c_str(), &found) != 0) {
        return {};
    }
    FileSystem system{static_cast<unsigned long>(found.f_type) & 0xffffffffUL,
                      storage::mark_of_directory(there.string()).file_system};
    if (system.id.empty() &&
        std::find(told_by_source.begin(), told_by_source.end(), system.type) != told_by_source.end()) {
        system.id = source_of(there.string());
    }
    return system;
}

bool may_be_same(const FileSystem& then, const FileSystem& now)
{
    if (then.type == 0 || now.type == 0) {
        return true;
    }
    const bool is_of_one_kind = then.type == now.type;
    const bool has_ids = !then.id.empty() && !now.id.empty() && now.type != TMPFS_MAGIC;
    return is_of_one_kind && (!has_ids || then.id == now.id);
}

// "36 35 98:0 /root /mount/point rw,noatime shared:1 master:2 - nfs4 nas:/export rw,vers=4.2"
std::string mount_source(std::string_view mounts, std::uint64_t mount_id)
{
    while (!mounts.empty()) {
        const auto line = mounts.substr(0, mounts.find('\n'));
        mounts.remove_prefix(std::min(line.size() + 1, mounts.size()));
        std::uint64_t id = 0;
        std::from_chars(line.data(), line.data() + line.size(), id);
        const auto separator = line.find(" - ");
        if (id != mount_id || separator == std::string_view::npos) {
            continue;
        }
        std::istringstream words{std::string(line.substr(separator + 3))};
        std::string type;
        std::string source;
        words >> type >> source;
        const bool is_name = !source.empty() && source != "none" && !source.starts_with("/dev/");
        return is_name ? source : std::string();
    }
    return "";
}

}  // namespace shelfd::app
