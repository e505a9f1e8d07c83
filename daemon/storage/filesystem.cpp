#include "storage/filesystem.hpp"

#include "base/file_descriptor.hpp"
#include "base/regular_file.hpp"
#include "base/words/shell_word.hpp"
#include "storage/opening.hpp"

#include <array>
#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

namespace shelfd::storage {
namespace {

// Invalid, with errno set, if it is not there or not a directory.
FileDescriptor open_directory(const std::string& path)
{
    return FileDescriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

struct UnsafeFileSystem {
    unsigned long magic;  // statfs(2), f_type
    std::string_view name;
    std::string_view why;
};

constexpr std::string_view forgets = "loses all data at power-off";
constexpr std::string_view elsewhere = "is on another machine and may not store data durably";
constexpr std::array unsafe_file_systems = {
    UnsafeFileSystem{0x01021994, "tmpfs", forgets},
    UnsafeFileSystem{0x858458f6, "ramfs", forgets},
    UnsafeFileSystem{0x6969, "NFS", elsewhere},
    UnsafeFileSystem{0xff534d42, "CIFS", elsewhere},
    UnsafeFileSystem{0xfe534d42, "SMB", elsewhere},
    UnsafeFileSystem{0x517b, "SMB", elsewhere},
    UnsafeFileSystem{0x00c36400, "Ceph", elsewhere},
    UnsafeFileSystem{0x01021997, "9P", elsewhere},
    UnsafeFileSystem{0x5346414f, "AFS", elsewhere},
    UnsafeFileSystem{0x73757245, "Coda", elsewhere},
    UnsafeFileSystem{0x65735546, "FUSE", elsewhere},
    UnsafeFileSystem{0x794c7630, "overlayfs", "is usually deleted with its container"},
};

Result<void> check_private(const std::string& path)
{
    struct stat found {};
    if (::lstat(path.c_str(), &found) != 0) {
        return errno_error("cannot examine " + path, errno);
    }
    if (!S_ISDIR(found.st_mode)) {
        return Error(ErrorKind::permission, path + " is not a directory");
    }
    if (found.st_uid != ::geteuid()) {
        return Error(ErrorKind::permission,
                     fmt::format("{0} belongs to user {1}, not to the daemon's {2}: chown {2} {3}", path, found.st_uid,
                                 ::geteuid(), shell_word(path)));
    }
    if ((found.st_mode & 077) != 0) {
        return Error(ErrorKind::permission, fmt::format("other users may enter {} (mode {:04o}): chmod 0700 {}", path,
                                                        found.st_mode & 07777, shell_word(path)));
    }
    return {};
}

Result<void> make_one(const std::filesystem::path& path)
{
    const auto text = path.string();
    if (::mkdir(text.c_str(), 0700) != 0) {
        return errno == EEXIST ? Result<void>() : errno_error("cannot create " + text, errno);
    }
    const auto parent = path.parent_path();
    return sync_directory(parent.empty() ? "." : parent.string());
}

Error cannot_write(const std::string& path, int number)
{
    auto error = errno_error("cannot write " + path, number);
    return number == EROFS ? Error(ErrorKind::permission, error.text()).with_errno(number) : error;
}

bool write_all(const FileDescriptor& file, std::string_view bytes)
{
    while (!bytes.empty()) {
        const auto written = ::write(file.get(), bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            return false;
        }
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

bool set_rights(const FileDescriptor& file, const Replacement& how)
{
    // Only root can give a file away.
    const bool has_owner =
        !how.owner || ::fchown(file.get(), how.owner->user, how.owner->group) == 0 || ::geteuid() != 0;
    return has_owner && ::fchmod(file.get(), how.mode) == 0;
}

}  // namespace

std::string errno_text(int number)
{
    return fmt::format("{} ({})", std::generic_category().message(number), number);
}

Error errno_error(const std::string& what, int number)
{
    const auto kind = number == EACCES || number == EPERM ? ErrorKind::permission : ErrorKind::storage;
    return std::move(Error(kind, what + ": " + errno_text(number)).with_errno(number));
}

Result<void> make_private_directory(const std::string& path)
{
    auto wanted = std::filesystem::path(path).lexically_normal();
    if (!wanted.has_filename()) {
        wanted = wanted.parent_path();
    }
    std::filesystem::path so_far;
    for (const auto& part : wanted) {
        so_far /= part;
        struct stat found {};
        if (::stat(so_far.c_str(), &found) == 0) {
            continue;
        }
        SHELFD_TRY(make_one(so_far));
    }
    return check_private(wanted.string());
}

Result<void> sync_directory(const std::string& path)
{
    const auto directory = open_directory(path);
    if (!directory) {
        return errno_error("cannot open directory " + path, errno);
    }
    // Some file systems cannot sync a directory and return EINVAL: nothing more can be done.
    if (::fsync(directory.get()) != 0 && errno != EINVAL) {
        return errno_error("cannot sync directory " + path, errno);
    }
    return {};
}

FileMark mark_of_directory(const std::string& path)
{
    const auto directory = open_directory(path);
    return directory ? mark_of(directory.get()) : FileMark();
}

Result<void> sync_file(const std::string& path)
{
    const auto file = open_regular_file(path, O_RDONLY | O_NOFOLLOW);
    if (!file) {
        return cannot_open(path, file.error());
    }
    if (::fdatasync(file->get()) != 0) {
        return errno_error("cannot sync " + path, errno);
    }
    return {};
}

Result<void> check_durable(const std::string& path, Safety safety)
{
    struct statfs found {};
    if (::statfs(path.c_str(), &found) != 0) {
        return errno_error("cannot examine the file system of " + path, errno);
    }
    const auto magic = static_cast<unsigned long>(found.f_type) & 0xffffffffUL;
    for (const auto& unsafe : unsafe_file_systems) {
        if (unsafe.magic == magic && safety == Safety::required) {
            return Error(
                ErrorKind::config,
                fmt::format("{} is on {}, which {}: do not keep token sets there. Choose another directory for "
                            "storage.tokens, or set storage.allow_unsafe = true if losing them is acceptable",
                            path, unsafe.name, unsafe.why));
        }
    }
    return {};
}

bool leads_to(const std::string& path, int file)
{
    struct stat open {
    }, there{};
    if (::fstat(file, &open) != 0) {
        return true;
    }
    if (::lstat(path.c_str(), &there) != 0) {
        return errno != ENOENT && errno != ENOTDIR;
    }
    return open.st_dev == there.st_dev && open.st_ino == there.st_ino;
}

Result<void> replace_file(const std::string& path, std::string_view bytes, const Replacement& how)
{
    const std::filesystem::path whole(path);
    const auto whose = how.replacers == Replacers::several ? fmt::format(".{}", ::getpid()) : std::string();
    const auto fresh = (whole.parent_path() / fmt::format(".{}{}.new", whole.filename().string(), whose)).string();
    ::unlink(fresh.c_str());
    const auto file = open_regular_file(fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
    if (!file) {
        return cannot_write(path, file.error().system_errno);
    }
    const bool is_durable = how.durability == Durability::disk;
    if (!set_rights(*file, how) || !write_all(*file, bytes) || (is_durable && ::fsync(file->get()) != 0) ||
        std::rename(fresh.c_str(), path.c_str()) != 0) {
        const int number = errno;
        ::unlink(fresh.c_str());
        return cannot_write(path, number);
    }
    const auto directory = whole.parent_path().string();
    return is_durable ? sync_directory(directory.empty() ? "." : directory) : Result<void>();
}

}  // namespace shelfd::storage
