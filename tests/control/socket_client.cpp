#include "control/socket_client.hpp"

#include <array>
#include <cstring>
#include <stdexcept>

#include <csignal>
#include <fcntl.h>
#include <grp.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

namespace shelfd::control {
namespace {

int connect_to(const char* path)
{
    const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path, sizeof(address.sun_path) - 1);
    if (::connect(socket, static_cast<sockaddr*>(static_cast<void*>(&address)), sizeof(address)) != 0) {
        ::close(socket);
        return -1;
    }
    return socket;
}

void send_all(int socket, const char* bytes, std::size_t size)
{
    while (size > 0) {
        const auto sent = ::send(socket, bytes, size, MSG_NOSIGNAL);
        if (sent <= 0) {
            return;  // refused early: the answer is there to be read
        }
        bytes += sent;
        size -= static_cast<std::size_t>(sent);
    }
}

std::string read_all(int file)
{
    std::string text;
    std::array<char, 4096> piece{};
    for (ssize_t size = 0; (size = ::read(file, piece.data(), piece.size())) > 0;) {
        text.append(piece.data(), static_cast<std::size_t>(size));
    }
    return text;
}

// Only calls that are safe in the child of a process with threads.
void become(const User& user)
{
    if (::setgroups(user.groups.size(), user.groups.data()) != 0 || ::setresgid(user.gid, user.gid, user.gid) != 0 ||
        ::setresuid(user.uid, user.uid, user.uid) != 0) {
        ::_exit(1);
    }
}

[[noreturn]] void speak_as(const User& user, const char* path, const char* bytes, std::size_t size, int out)
{
    become(user);
    const int socket = connect_to(path);
    send_all(socket, bytes, size);
    std::array<char, 4096> piece{};
    for (ssize_t got = 0; (got = ::read(socket, piece.data(), piece.size())) > 0;) {
        if (::write(out, piece.data(), static_cast<std::size_t>(got)) != got) {
            ::_exit(1);
        }
    }
    ::_exit(0);
}

}  // namespace

std::string exchange(const std::string& path, const std::string& bytes)
{
    const int socket = connect_to(path.c_str());
    if (socket < 0) {
        return "";
    }
    send_all(socket, bytes.data(), bytes.size());
    auto text = read_all(socket);
    ::close(socket);
    return text;
}

std::string exchange_as(const User& user, const std::string& path, const std::string& bytes)
{
    std::array<int, 2> pipe{};
    if (::pipe2(pipe.data(), O_CLOEXEC) != 0) {
        throw std::runtime_error("no pipe");
    }
    const auto child = ::fork();
    if (child == 0) {
        speak_as(user, path.c_str(), bytes.data(), bytes.size(), pipe[1]);
    }
    ::close(pipe[1]);
    auto text = read_all(pipe[0]);
    ::close(pipe[0]);
    ::waitpid(child, nullptr, 0);
    return text;
}

CrowdOfStrangers::CrowdOfStrangers(const User& user, const std::string& path, int connections)
{
    std::array<int, 2> pipe{};
    if (::pipe2(pipe.data(), O_CLOEXEC) != 0) {
        throw std::runtime_error("no pipe");
    }
    child_ = ::fork();
    if (child_ == 0) {
        become(user);
        for (int i = 0; i < connections; ++i) {
            const int socket = connect_to(path.c_str());
            send_all(socket, "GET /heal", 9);
        }
        ::close(pipe[1]);
        for (;;) {
            ::pause();
        }
    }
    ::close(pipe[1]);
    read_all(pipe[0]);
    ::close(pipe[0]);
}

CrowdOfStrangers::~CrowdOfStrangers()
{
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
}

OpenClient::OpenClient(const std::string& path) : socket_(connect_to(path.c_str())) {}

OpenClient::~OpenClient()
{
    ::close(socket_);
}

void OpenClient::send(const std::string& bytes) const
{
    send_all(socket_, bytes.data(), bytes.size());
}

void OpenClient::send_without_waiting(const std::string& bytes) const
{
    // Less than all is what the caller wants to see.
    static_cast<void>(::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
}

bool OpenClient::is_open() const
{
    char byte = 0;
    return ::recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) != 0;
}

std::string OpenClient::read_until(const std::string& text)
{
    std::array<char, 4096> piece{};
    while (seen_.find(text) == std::string::npos) {
        const auto size = ::read(socket_, piece.data(), piece.size());
        if (size <= 0) {
            break;
        }
        seen_.append(piece.data(), static_cast<std::size_t>(size));
    }
    return seen_;
}

std::string get(const std::string& path)
{
    return "GET " + path + " HTTP/1.1\r\nHost: shelfd\r\nConnection: close\r\n\r\n";
}

std::string post(const std::string& path, const std::string& body)
{
    return "POST " + path +
           " HTTP/1.1\r\nHost: shelfd\r\nConnection: close\r\nContent-Length: " + std::to_string(body.size()) +
           "\r\n\r\n" + body;
}

}  // namespace shelfd::control
