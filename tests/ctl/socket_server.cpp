#include "ctl/socket_server.hpp"

#include <fmt/core.h>

#include <array>
#include <cstring>
#include <stdexcept>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace shelfd::ctl {
namespace {

// Up to the end of the body that Content-Length announces.
std::string read_request(int socket)
{
    std::string text;
    std::array<char, 4096> piece{};
    for (;;) {
        const auto end = text.find("\r\n\r\n");
        if (end != std::string::npos) {
            const auto length = text.find("Content-Length: ");
            const auto body = length == std::string::npos ? 0 : std::stoul(text.substr(length + 16));
            if (text.size() >= end + 4 + body) {
                return text;
            }
        }
        const auto size = ::recv(socket, piece.data(), piece.size(), 0);
        if (size <= 0) {
            return text;
        }
        text.append(piece.data(), static_cast<std::size_t>(size));
    }
}

}  // namespace

std::string http_answer(int status, const std::string& body)
{
    return fmt::format("HTTP/1.1 {} X\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{}", status, body.size(), body);
}

SocketServer::SocketServer(const std::string& path, std::deque<std::string> answers)
    : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0))
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
    if (::bind(socket_, static_cast<sockaddr*>(static_cast<void*>(&address)), sizeof(address)) != 0 ||
        ::listen(socket_, 8) != 0) {
        throw std::runtime_error("cannot listen on " + path);
    }
    thread_ = std::thread([this, prepared = std::move(answers)] { serve(prepared); });
}

SocketServer::~SocketServer()
{
    ::shutdown(socket_, SHUT_RDWR);
    if (thread_.joinable()) {
        thread_.join();
    }
    ::close(socket_);
}

std::vector<std::string> SocketServer::requests()
{
    if (thread_.joinable()) {
        thread_.join();
    }
    return requests_;
}

void SocketServer::serve(std::deque<std::string> answers)
{
    for (const auto& answer : answers) {
        const int client = ::accept(socket_, nullptr, nullptr);
        if (client < 0) {
            return;
        }
        requests_.push_back(read_request(client));
        std::size_t sent = 0;
        while (sent < answer.size()) {
            const auto size = ::send(client, answer.data() + sent, answer.size() - sent, MSG_NOSIGNAL);
            if (size <= 0) {
                break;
            }
            sent += static_cast<std::size_t>(size);
        }
        ::close(client);
    }
}

}  // namespace shelfd::ctl
