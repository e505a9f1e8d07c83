#include "storage/file_mark.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>

namespace shelfd::storage {
namespace {

enum class Identity {
    numbers,  // inode numbers are permanent
    birth,    // inode numbers change at each mount, but times of birth are permanent
    none,
};
// Source of the file system's id.
enum class IdSource {
    f_fsid,    // derived from its UUID, or as permanent
    geometry,  // xfs: its f_fsid is a device number, so its geometry holds the UUID
    ioctl,     // FS_IOC_GETFSUUID, if the kernel has it; otherwise unknown
};
struct KnownFileSystem {
    unsigned long magic;  // statfs(2), f_type
    std::string_view name;
    Identity identity;
    IdSource source = IdSource::ioctl;
};
constexpr std::array known_file_systems = {
    KnownFileSystem{0xef53, "ext", Identity::numbers, IdSource::f_fsid},
    KnownFileSystem{0x9123683e, "btrfs", Identity::numbers, IdSource::f_fsid},
    KnownFileSystem{0x2fc12fc1, "zfs", Identity::numbers, IdSource::f_fsid},
    KnownFileSystem{0xca451a4e, "bcachefs", Identity::numbers, IdSource::f_fsid},
    KnownFileSystem{0x58465342, "xfs", Identity::numbers, IdSource::geometry},
    KnownFileSystem{0xf2f52010, "f2fs", Identity::numbers},
    KnownFileSystem{0x3153464a, "jfs", Identity::numbers},
    KnownFileSystem{0x52654973, "reiserfs", Identity::numbers},
    KnownFileSystem{0x3434, "nilfs", Identity::numbers},
    KnownFileSystem{0x24051905, "ubifs", Identity::numbers},
    KnownFileSystem{0x01021994, "tmpfs", Identity::numbers},
    KnownFileSystem{0x4d44, "vfat", Identity::birth},
    KnownFileSystem{0x2011bab0, "exfat", Identity::birth},
};

// The first version of XFS_IOC_FSGEOMETRY, present in every kernel (xfs_fs.h is not installed with the kernel's
// headers).
struct XfsGeometry {
    std::array<std::uint32_t, 8> sizes;
    std::array<std::uint64_t, 4> lengths;
    std::array<unsigned char, 16> uuid;
    std::array<std::uint32_t, 8> rest;
};
static_assert(sizeof(XfsGeometry) == 112);
constexpr auto xfs_geometry = _IOR('X', 100, XfsGeometry);

// struct fsuuid2 and FS_IOC_GETFSUUID of Linux 6.8.
struct FileSystemUuid {
    std::uint8_t length;
    std::array<unsigned char, 16> uuid;
};
static_assert(sizeof(FileSystemUuid) == 17);
constexpr auto get_file_system_uuid = _IOR(0x15, 0, FileSystemUuid);

std::string id_of(std::string_view source, std::span<const unsigned char> bytes)
{
    const bool is_set = std::any_of(bytes.begin(), bytes.end(), [](unsigned char byte) { return byte != 0; });
    return is_set ? fmt::format("{}:{:02x}", source, fmt::join(bytes, "")) : std::string();
}

std::string file_system_id(int file, const KnownFileSystem& known, const struct statfs& found)
{
    if (known.source == IdSource::f_fsid) {
        std::array<unsigned char, sizeof(found.f_fsid)> id{};
        std::memcpy(id.data(), &found.f_fsid, id.size());
        return id_of(known.name, id);
    }
    if (known.source == IdSource::geometry) {
        XfsGeometry geometry{};
        return ::ioctl(file, xfs_geometry, &geometry) == 0 ? id_of(known.name, geometry.uuid) : std::string();
    }
    FileSystemUuid uuid{};
    const bool is_told = ::ioctl(file, get_file_system_uuid, &uuid) == 0 && uuid.length <= uuid.uuid.size();
    return is_told ? id_of("uuid", std::span(uuid.uuid).first(uuid.length)) : std::string();
}

}  // namespace

bool is_known(const FileMark& mark)
{
    return mark.inode != 0 || mark.birth != 0;
}

bool may_be_same(const FileMark& then, const FileMark& now)
{
    const auto source = [](const std::string& id) { return std::string_view(id).substr(0, id.find(':')); };
    const bool is_elsewhere = !then.file_system.empty() && source(then.file_system) == source(now.file_system) &&
                              then.file_system != now.file_system;
    if (is_elsewhere) {
        return false;
    }
    const auto agree = [](auto a, auto b) { return a == 0 || b == 0 || a == b; };
    const bool is_same_inode = agree(then.inode, now.inode);
    const bool is_same_generation = agree(then.generation, now.generation);
    if (then.birth != 0 && now.birth != 0) {
        // The time of birth is not enough: a file system's clock ticks every few milliseconds, and a copy may be as
        // old.
        return then.birth == now.birth && (is_same_inode || is_same_generation);
    }
    return is_same_inode && is_same_generation;
}

FileMark mark_of(int file)
{
    struct statfs system {};
    if (::fstatfs(file, &system) != 0) {
        return {};
    }
    const auto magic = static_cast<unsigned long>(system.f_type) & 0xffffffffUL;
    const auto* const known = std::find_if(known_file_systems.begin(), known_file_systems.end(),
                                           [magic](const KnownFileSystem& one) { return one.magic == magic; });
    struct statx found {};
    if (known == known_file_systems.end() || ::statx(file, "", AT_EMPTY_PATH, STATX_INO | STATX_BTIME, &found) != 0) {
        return {};
    }
    FileMark mark;
    if ((found.stx_mask & STATX_BTIME) != 0) {
        mark.birth = found.stx_btime.tv_sec * 1'000'000'000 + found.stx_btime.tv_nsec;
    }
    if (known->identity == Identity::numbers) {
        mark.inode = found.stx_ino;
        long generation = 0;  // the ioctl is declared with long, but the kernel writes an int
        mark.generation =
            ::ioctl(file, FS_IOC_GETVERSION, &generation) == 0 ? static_cast<std::uint32_t>(generation) : 0;
    }
    mark.file_system = file_system_id(file, *known, system);
    return mark;
}

}  // namespace shelfd::storage
