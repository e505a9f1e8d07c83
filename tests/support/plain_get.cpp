#include "support/plain_get.hpp"

#include <array>
#include <stdexcept>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace shelfd {
namespace {

struct Socket {
    Socket() : descriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {}
    Socket(const Socket&) = delete;
    Socket& operator=(const Socket&) = delete;
    ~Socket() { ::close(descriptor); }
    int descriptor;
};

sockaddr_in address_of(const std::string& host, int port)
{
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    if (::inet_pton(AF_INET, host.c_str(), &address.sin_addr) != 1) {
        throw std::runtime_error("no address: " + host);
    }
    return address;
}

sockaddr* generic(sockaddr_in& address)
{
    return static_cast<sockaddr*>(static_cast<void*>(&address));
}

}  // namespace

std::string plain_get(const std::string& url)
{
    const auto begin = std::string("http://").size();
    const auto slash = url.find('/', begin);
    const auto place = url.substr(begin, slash - begin);
    const auto colon = place.find(':');
    auto address = address_of(place.substr(0, colon), std::stoi(place.substr(colon + 1)));
    const Socket socket;
    const auto request = "GET " + url.substr(slash) + " HTTP/1.1\r\nHost: " + place + "\r\nConnection: close\r\n\r\n";
    std::string answer;
    if (::connect(socket.descriptor, generic(address), sizeof address) != 0 ||
        ::send(socket.descriptor, request.data(), request.size(), MSG_NOSIGNAL) !=
            static_cast<ssize_t>(request.size())) {
        return answer;
    }
    std::array<char, 4096> piece{};
    for (auto size = ::read(socket.descriptor, piece.data(), piece.size()); size > 0;
         size = ::read(socket.descriptor, piece.data(), piece.size())) {
        answer.append(piece.data(), static_cast<std::size_t>(size));
    }
    return answer;
}

std::string header_of(const std::string& answer, const std::string& name)
{
    const auto at = answer.find("\r\n" + name + ": ");
    if (at == std::string::npos) {
        return "";
    }
    const auto begin = at + name.size() + 4;
    return answer.substr(begin, answer.find("\r\n", begin) - begin);
}

int free_port()
{
    const Socket socket;
    auto address = address_of("127.0.0.1", 0);
    socklen_t size = sizeof address;
    if (::bind(socket.descriptor, generic(address), size) != 0 ||
        ::getsockname(socket.descriptor, generic(address), &size) != 0) {
        throw std::runtime_error("no port is free");
    }
    return ntohs(address.sin_port);
}

}  // namespace shelfd
