#include "storage/file_lock.hpp"

#include "base/regular_file.hpp"
#include "storage/filesystem.hpp"
#include "storage/opening.hpp"

#include <array>
#include <cerrno>
#include <string_view>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <unistd.h>

namespace shelfd::storage {
namespace {

std::string holder_of(int file)
{
    std::array<char, 32> text{};
    const auto length = ::pread(file, text.data(), text.size(), 0);
    std::string_view found(text.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
    found = found.substr(0, found.find_first_not_of("0123456789"));
    return found.empty() ? "another process" : fmt::format("process {}", found);
}

int lock_now(int file)
{
    int outcome = 0;
    do {
        outcome = ::flock(file, LOCK_EX | LOCK_NB);
    } while (outcome != 0 && errno == EINTR);
    return outcome;
}

}  // namespace

Result<FileLock> FileLock::acquire(const std::string& path)
{
    auto file = open_regular_file(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0600);
    // A disk that became read-only still needs one owner; flock needs no write access.
    const int why = file ? 0 : file.error().system_errno;
    const bool read_only = why == EROFS || why == ENOSPC || why == EDQUOT;
    if (read_only) {
        file = open_regular_file(path, O_RDONLY | O_NOFOLLOW);
    }
    if (!file) {
        return cannot_open(path, file.error());
    }
    if (lock_now(file->get()) != 0) {
        if (errno == EWOULDBLOCK) {
            return Error(ErrorKind::busy, fmt::format("{} is locked by {}", path, holder_of(file->get())));
        }
        return errno_error("cannot lock " + path, errno);
    }
    if (!read_only) {
        // Information for people only: the lock holds even if the number cannot be written. The blanks overwrite a
        // longer, older number.
        const auto text = fmt::format("{}\n{:16}", ::getpid(), "");
        [[maybe_unused]] const auto written = ::pwrite(file->get(), text.data(), text.size(), 0);
    }
    return FileLock(path, std::move(*file));
}

bool FileLock::is_in_place() const
{
    return leads_to(path_, file_.get());
}

}  // namespace shelfd::storage
