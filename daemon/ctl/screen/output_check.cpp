#include "ctl/screen/output_check.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdint>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace shelfd::ctl {
namespace {

constexpr std::uint64_t wanted_bytes = 256u << 10;  // a hundred token sets

Error refusal(const std::string& why)
{
    return Error(ErrorKind::storage, "cannot write to standard output: " + why);
}

Result<void> check_reader(int descriptor)
{
    pollfd one{descriptor, POLLOUT, 0};
    const int ready = ::poll(&one, 1, 0);
    return ready > 0 && (one.revents & (POLLERR | POLLHUP | POLLNVAL)) != 0 ? refusal("nobody reads it any more")
                                                                            : Result<void>();
}

Result<void> check_room(int descriptor, const struct stat& about)
{
    struct statvfs disk {};
    if (::fstatvfs(descriptor, &disk) == 0) {
        const auto free = static_cast<std::uint64_t>(disk.f_bavail) * disk.f_frsize;
        if (free < wanted_bytes) {
            return refusal(fmt::format("its disk has {} bytes left", free));
        }
    }
    struct rlimit limit {};
    const auto size = static_cast<std::uint64_t>(about.st_size);
    if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        limit.rlim_cur < size + wanted_bytes) {
        return refusal(fmt::format("files may have {} bytes here (ulimit -f)", limit.rlim_cur));
    }
    return {};
}

}  // namespace

Result<void> check_output(int descriptor)
{
    struct stat about {};
    const int flags = ::fcntl(descriptor, F_GETFL);
    if (flags < 0 || ::fstat(descriptor, &about) != 0) {
        return refusal(errno == EBADF ? "it is closed" : std::generic_category().message(errno));
    }
    if ((flags & O_ACCMODE) == O_RDONLY) {
        return refusal("it is closed, or open for reading only");
    }
    if (S_ISCHR(about.st_mode)) {
        return ::isatty(descriptor) == 1 ? Result<void>() : refusal("it is a device that keeps nothing");
    }
    return S_ISREG(about.st_mode) ? check_room(descriptor, about) : check_reader(descriptor);
}

}  // namespace shelfd::ctl
