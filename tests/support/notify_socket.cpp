#include "support/notify_socket.hpp"

#include <array>
#include <cstring>
#include <stdexcept>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace shelfd {

NotifySocket::NotifySocket() : descriptor_(socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0))
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const auto name = path();
    if (name.size() >= sizeof address.sun_path) {
        throw std::runtime_error("too long a path for a socket: " + name);
    }
    std::memcpy(address.sun_path, name.data(), name.size());
    const auto* generic = static_cast<const sockaddr*>(static_cast<const void*>(&address));
    if (bind(descriptor_, generic, sizeof address) != 0 || chmod(directory_.path().c_str(), 0755) != 0 ||
        chmod(name.c_str(), 0666) != 0) {
        throw std::runtime_error("cannot listen at " + name);
    }
}

NotifySocket::~NotifySocket()
{
    close(descriptor_);
}

std::vector<std::string> NotifySocket::take()
{
    std::vector<std::string> messages;
    std::array<char, 8192> buffer{};
    for (auto size = recv(descriptor_, buffer.data(), buffer.size(), 0); size > 0;
         size = recv(descriptor_, buffer.data(), buffer.size(), 0)) {
        messages.emplace_back(buffer.data(), static_cast<std::size_t>(size));
    }
    return messages;
}

}  // namespace shelfd
