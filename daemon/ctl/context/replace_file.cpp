#include "ctl/context/replace_file.hpp"

#include "base/regular_file.hpp"

#include <fmt/core.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace shelfd::ctl {
namespace {

Error cannot_write(const std::string& path, int number)
{
    const auto kind =
        number == EACCES || number == EPERM || number == EROFS ? ErrorKind::permission : ErrorKind::storage;
    return Error(kind, fmt::format("cannot write {}: {}", path, std::strerror(number)));
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

}  // namespace

Result<void> replace_file(const std::string& path, std::string_view bytes, mode_t mode)
{
    const auto fresh = path + ".new";
    // A file left by a killed process is not followed if it is a link.
    ::unlink(fresh.c_str());
    const auto file = open_regular_file(fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
    if (!file) {
        return Error(file.error().kind(), fmt::format("cannot write {}: {}", path, file.error().text()));
    }
    if (::fchmod(file->get(), mode) != 0 || !write_all(*file, bytes) || std::rename(fresh.c_str(), path.c_str()) != 0) {
        const auto number = errno;
        ::unlink(fresh.c_str());
        return cannot_write(path, number);
    }
    return {};
}

}  // namespace shelfd::ctl
