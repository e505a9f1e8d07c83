#include "http/curl/open_connections.hpp"

#include <algorithm>
#include <cerrno>

#include <curl/curl.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace shelfd::http {
namespace {

// 0 if it is none of IP.
int local_port_of(int socket)
{
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    if (::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
        return 0;
    }
    switch (address.ss_family) {
    case AF_INET: return ntohs(reinterpret_cast<const sockaddr_in&>(address).sin_port);
    case AF_INET6: return ntohs(reinterpret_cast<const sockaddr_in6&>(address).sin6_port);
    default: return 0;
    }
}

}  // namespace

void OpenConnections::transfer_ended(void* easy)
{
    curl_socket_t socket = CURL_SOCKET_BAD;
    const char* peer = nullptr;
    long peer_port = 0;
    long local_port = 0;
    curl_easy_getinfo(easy, CURLINFO_ACTIVESOCKET, &socket);
    curl_easy_getinfo(easy, CURLINFO_PRIMARY_IP, &peer);
    curl_easy_getinfo(easy, CURLINFO_PRIMARY_PORT, &peer_port);
    curl_easy_getinfo(easy, CURLINFO_LOCAL_PORT, &local_port);
    if (socket != CURL_SOCKET_BAD && peer != nullptr) {
        by_socket_.insert_or_assign(socket, Ends{peer, static_cast<int>(peer_port), static_cast<int>(local_port)});
    }
}

bool OpenConnections::has_unread(const Ends& ends) const
{
    const auto found = std::find_if(by_socket_.begin(), by_socket_.end(), [&ends](const auto& one) {
        return one.second == ends && local_port_of(one.first) == ends.local_port;
    });
    if (found == by_socket_.end()) {
        return false;
    }
    char byte = 0;
    const auto got = ::recv(found->first, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return got >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

}  // namespace shelfd::http
