#include "base/regular_file.hpp"

#include "base/words/shell_word.hpp"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace shelfd {
namespace {

Error reason(int number)
{
    const auto kind = number == EACCES || number == EPERM ? ErrorKind::permission : ErrorKind::storage;
    return Error(kind, std::generic_category().message(number)).with_errno(number);
}

// Kubernetes mounts a ConfigMap as a directory of mode 0777 that nobody can write to.
bool is_read_only(const FileDescriptor& file)
{
    struct statvfs status {};
    return ::fstatvfs(file.get(), &status) == 0 && (status.f_flag & ST_RDONLY) != 0;
}

// "16 MiB", "64 KiB": all limits are whole multiples.
std::string size_text(std::size_t bytes)
{
    constexpr std::size_t kib = 1'024;
    constexpr std::size_t mib = kib * kib;
    return bytes >= mib ? fmt::format("{} MiB", bytes / mib)
                        : (bytes >= kib ? fmt::format("{} KiB", bytes / kib) : fmt::format("{} bytes", bytes));
}

}  // namespace

Result<FileDescriptor> open_regular_file(const std::string& path, int flags, mode_t mode)
{
    FileDescriptor file(::open(path.c_str(), flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, mode));
    if (!file) {
        // ENXIO: a named pipe without a reader, opened for writing, or a socket.
        return errno == ENXIO ? Error(ErrorKind::config, "it is not a regular file") : reason(errno);
    }
    struct stat status {};
    if (::fstat(file.get(), &status) != 0) {
        return reason(errno);
    }
    if (S_ISDIR(status.st_mode)) {
        return reason(EISDIR);
    }
    if (!S_ISREG(status.st_mode)) {
        return Error(ErrorKind::config, "it is not a regular file");
    }
    return file;
}

Result<void> read_all(const FileDescriptor& file, std::string& into, std::size_t largest)
{
    constexpr std::size_t piece = 16u << 10;
    const auto before = into.size();
    for (;;) {
        const auto used = into.size();
        into.resize(std::min(used + piece, before + largest + 1));
        const auto count =
            ::pread(file.get(), into.data() + used, into.size() - used, static_cast<off_t>(used - before));
        const int number = errno;
        into.resize(used + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
        if (count == 0) {
            return {};
        }
        if (count < 0 && number != EINTR) {
            return reason(number);
        }
        if (into.size() - before > largest) {
            return Error(ErrorKind::config, "it is larger than " + size_text(largest));
        }
    }
}

Result<std::string> read_regular_file(const std::string& path, std::size_t largest)
{
    SHELFD_TRY_ASSIGN(file, open_regular_file(path));
    std::string text;
    SHELFD_TRY(read_all(file, text, largest));
    return text;
}

bool write_all(const FileDescriptor& file, std::string_view bytes, std::uint64_t place)
{
    while (!bytes.empty()) {
        const auto written = ::pwrite(file.get(), bytes.data(), bytes.size(), static_cast<off_t>(place));
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            errno = written == 0 ? EIO : errno;
            return false;
        }
        bytes.remove_prefix(static_cast<std::size_t>(written));
        place += static_cast<std::uint64_t>(written);
    }
    return true;
}

Result<void> check_writers(const FileDescriptor& file, const std::string& path, Owner owner, Sticky sticky)
{
    struct stat status {};
    if (::fstat(file.get(), &status) != 0) {
        return reason(errno);
    }
    const bool protects = S_ISDIR(status.st_mode) &&
                          ((sticky == Sticky::protects && (status.st_mode & S_ISVTX) != 0) || is_read_only(file));
    if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0 && !protects) {
        return Error(ErrorKind::permission, fmt::format("users other than its owner may change it (mode {:04o}), and a "
                                                        "configuration may name programs to run: chmod go-w {}",
                                                        status.st_mode & 07777, shell_word(path)));
    }
    if (owner == Owner::root_or_us && status.st_uid != 0 && status.st_uid != ::geteuid()) {
        return Error(ErrorKind::permission, fmt::format("it belongs to user {}, neither root nor the daemon's ({}), "
                                                        "and a configuration may name programs to run: chown root {}",
                                                        status.st_uid, ::geteuid(), shell_word(path)));
    }
    return {};
}

}  // namespace shelfd
