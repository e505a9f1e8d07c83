#include "control/server/listening_socket.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

namespace shelfd::control {
namespace {

constexpr std::size_t max_path = sizeof(sockaddr_un::sun_path) - 1;  // 107

sockaddr_un address_of(const std::string& path)
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), path.size());
    return address;
}

// Addresses of all families are passed as sockaddr.
const sockaddr* generic(const sockaddr_un& address)
{
    return static_cast<const sockaddr*>(static_cast<const void*>(&address));
}

FileDescriptor make_socket()
{
    return FileDescriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

Error trouble(const std::string& what, const std::string& path)
{
    const int number = errno;
    const auto kind = number == EACCES || number == EPERM || number == EROFS ? ErrorKind::permission
                      : number == ENOENT || number == ENOTDIR                ? ErrorKind::config
                                                                             : ErrorKind::storage;
    auto text = fmt::format("cannot {} the control socket {}: {}", what, path, std::strerror(number));
    if (number == ENOENT) {
        const auto directory = std::filesystem::path(path).parent_path().string();
        text += fmt::format("; create the directory {} or change control.socket", directory);
    }
    return Error(kind, text).with_errno(number);
}

// Succeeds if nothing is there; removes a socket on which no program answers.
Result<void> clear_path(const std::string& path)
{
    struct stat found {};
    if (::lstat(path.c_str(), &found) != 0) {
        return errno == ENOENT ? Result<void>() : trouble("examine", path);
    }
    if (!S_ISSOCK(found.st_mode)) {
        return Error(ErrorKind::config,
                     fmt::format("{} exists but is not a socket; move it away or change control.socket", path));
    }
    const auto probe = make_socket();
    const auto address = address_of(path);
    if (!probe) {
        return trouble("probe", path);
    }
    if (::connect(probe.get(), generic(address), sizeof(address)) == 0 || errno == EAGAIN) {
        return Error(ErrorKind::busy, fmt::format("the control socket {} is in use: another program answers on it; "
                                                  "stop that program or change control.socket",
                                                  path));
    }
    if (errno != ECONNREFUSED && errno != ENOENT) {
        return trouble("probe", path);
    }
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) {
        return trouble("replace", path);
    }
    return {};
}

}  // namespace

Result<ListeningSocket> ListeningSocket::open(const std::string& path)
{
    if (path.empty() || path.size() > max_path) {
        return Error(ErrorKind::config, fmt::format("the path of the control socket has {} bytes; the kernel accepts 1 "
                                                    "to {}: set a shorter control.socket ({})",
                                                    path.size(), max_path, path));
    }
    SHELFD_TRY(clear_path(path));
    auto socket = make_socket();
    if (!socket) {
        return trouble("create", path);
    }
    const auto address = address_of(path);
    if (::bind(socket.get(), generic(address), sizeof(address)) != 0) {
        return trouble("bind", path);
    }
    ListeningSocket listening(path, std::move(socket));
    struct stat made {};
    if (::chmod(path.c_str(), 0666) != 0 || ::lstat(path.c_str(), &made) != 0 ||
        ::listen(listening.socket_.get(), SOMAXCONN) != 0) {
        return trouble("open", path);
    }
    listening.device_ = made.st_dev;
    listening.inode_ = made.st_ino;
    return listening;
}

ListeningSocket::~ListeningSocket()
{
    struct stat found {};
    if (socket_ && ::lstat(path_.c_str(), &found) == 0 && found.st_dev == device_ && found.st_ino == inode_) {
        ::unlink(path_.c_str());
    }
}

int ListeningSocket::duplicate() const
{
    return ::fcntl(socket_.get(), F_DUPFD_CLOEXEC, 0);
}

}  // namespace shelfd::control
