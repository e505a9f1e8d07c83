#include "storage/posix_journal_file.hpp"

#include "base/regular_file.hpp"
#include "base/words/shell_word.hpp"
#include "storage/filesystem.hpp"
#include "storage/opening.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <fmt/core.h>
#include <linux/fs.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace shelfd::storage {
namespace {

constexpr int open_flags = O_RDWR | O_NOFOLLOW;

void switch_off_copy_on_write(int file)
{
    // Fails on file systems without the flag, which do not need it.
    int flags = 0;
    if (::ioctl(file, FS_IOC_GETFLAGS, &flags) == 0) {
        flags |= FS_NOCOW_FL;
        ::ioctl(file, FS_IOC_SETFLAGS, &flags);
    }
}

Result<struct stat> check_ours(const std::string& path, int file)
{
    struct stat found {};
    if (::fstat(file, &found) != 0) {
        return errno_error("cannot examine " + path, errno);
    }
    if (found.st_uid != ::geteuid()) {
        return Error(ErrorKind::permission,
                     fmt::format("{0} belongs to user {1}, not to the daemon's {2}: chown {2} {3}", path, found.st_uid,
                                 ::geteuid(), shell_word(path)));
    }
    if ((found.st_mode & 077) != 0) {
        return Error(ErrorKind::permission, fmt::format("other users may read {} (mode {:04o}): chmod 0600 {}", path,
                                                        found.st_mode & 07777, shell_word(path)));
    }
    return found;
}

}  // namespace

std::array<std::string, 2> journals_in(const std::string& directory)
{
    return {journal_path(directory, journal_names[0]), journal_path(directory, journal_names[1])};
}

bool has_journal(const std::string& directory)
{
    const auto paths = journals_in(directory);
    return std::any_of(paths.begin(), paths.end(), [](const std::string& path) {
        std::error_code unknown;
        return std::filesystem::exists(path, unknown);
    });
}

Result<std::unique_ptr<JournalFile>> PosixJournalFile::open(const std::string& path, std::uint64_t size)
{
    auto file = open_regular_file(path, open_flags);
    bool created = false;
    bool read_only = false;
    if (!file && file.error().system_errno == ENOENT) {
        file = open_regular_file(path, open_flags | O_CREAT | O_EXCL, 0600);
        created = static_cast<bool>(file);
    } else if (!file && file.error().system_errno == EROFS) {
        file = open_regular_file(path, O_RDONLY | O_NOFOLLOW);
        read_only = static_cast<bool>(file);
    }
    if (!file) {
        const bool is_link = file.error().system_errno == ELOOP;
        return is_link ? Error(ErrorKind::permission, path + " is a symbolic link, which is not followed")
                       : cannot_open(path, file.error());
    }
    if (created) {
        switch_off_copy_on_write(file->get());
    }
    SHELFD_TRY_ASSIGN(found, check_ours(path, file->get()));
    std::unique_ptr<PosixJournalFile> journal(new PosixJournalFile(path, std::move(*file)));
    const auto length = static_cast<std::uint64_t>(found.st_size);
    if (length < size && !read_only) {
        SHELFD_TRY(journal->lengthen(length, size));
    }
    return std::unique_ptr<JournalFile>(std::move(journal));
}

Result<std::unique_ptr<JournalFile>> PosixJournalFile::open_alone(const std::string& path, std::uint64_t size)
{
    SHELFD_TRY_ASSIGN(journal, open(path, size));
    const auto& file = static_cast<const PosixJournalFile&>(*journal).file_;
    if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        return Error(ErrorKind::busy,
                     fmt::format("another shelfd uses the file {} by another name: it is a hard link, or its directory "
                                 "is mounted twice; only one daemon may use a token set",
                                 path));
    }
    return std::move(journal);
}

Result<void> PosixJournalFile::lengthen(std::uint64_t from, std::uint64_t to)
{
    static constexpr std::array<std::byte, 4096> zeros{};
    for (auto at = from; at < to;) {
        const auto part = std::min<std::uint64_t>(to - at, zeros.size() - at % zeros.size());
        SHELFD_TRY(pwrite(at, std::span(zeros).first(part)));
        at += part;
    }
    if (::fsync(file_.get()) != 0) {
        return errno_error("cannot sync " + path_, errno);
    }
    const auto parent = std::filesystem::path(path_).parent_path().string();
    return sync_directory(parent.empty() ? "." : parent);
}

Result<void> PosixJournalFile::pwrite(std::uint64_t offset, std::span<const std::byte> bytes)
{
    if (write_all(file_, {reinterpret_cast<const char*>(bytes.data()), bytes.size()}, offset)) {
        return {};
    }
    // On a read-only disk the descriptor was opened for reading, and write returns EBADF; report EROFS instead.
    return errno_error("cannot write " + path_, errno == EBADF ? EROFS : errno);
}

Result<void> PosixJournalFile::sync()
{
    int outcome = 0;
    do {
        outcome = ::fdatasync(file_.get());
    } while (outcome != 0 && errno == EINTR);
    return outcome == 0 ? Result<void>() : errno_error("cannot sync " + path_, errno);
}

Result<void> PosixJournalFile::check_place()
{
    if (leads_to(path_, file_.get())) {
        return {};
    }
    return Error(ErrorKind::storage, path_ + " was removed or replaced while it was in use");
}

Result<void> PosixJournalFile::read(std::uint64_t offset, std::span<std::byte> bytes)
{
    while (!bytes.empty()) {
        const auto got = ::pread(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return errno_error("cannot read " + path_, errno);
        }
        if (got == 0) {  // past the end of a file that could not be lengthened: counts as never written
            std::fill(bytes.begin(), bytes.end(), std::byte{0});
            return {};
        }
        offset += static_cast<std::uint64_t>(got);
        bytes = bytes.subspan(static_cast<std::size_t>(got));
    }
    return {};
}

}  // namespace shelfd::storage
