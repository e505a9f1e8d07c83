#include "runtime/log/journal_socket.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

namespace shelfd {
namespace {

// A datagram holds about 200 KiB (net.core.wmem_default), and an entry has few fields.
constexpr std::size_t max_value = 48u << 10;
constexpr std::size_t max_entry = 160u << 10;
constexpr timeval blocking_time{0, 200'000};

}  // namespace

void add_journal_field(std::string& entry, std::string_view key, std::string_view value)
{
    const auto room = max_entry - std::min(max_entry, entry.size() + key.size());
    value = value.substr(0, std::min(max_value, room));
    entry += key;
    if (value.find('\n') == value.npos) {
        entry += '=';
    } else {
        entry += '\n';
        for (std::uint64_t size = value.size(), i = 0; i < 8; ++i, size >>= 8) {
            entry += static_cast<char>(size & 0xff);
        }
    }
    entry += value;
    entry += '\n';
}

JournalSocket::JournalSocket(const std::string& path)
    : path_(path), socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0))
{
    ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &blocking_time, sizeof blocking_time);
}

JournalSocket::~JournalSocket()
{
    if (socket_ >= 0) {
        ::close(socket_);
    }
}

LogQueue::Sent JournalSocket::send(std::string& entry, std::chrono::milliseconds patience) const
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path_.copy(address.sun_path, sizeof address.sun_path - 1);
    const int flags = MSG_NOSIGNAL | (patience.count() == 0 ? MSG_DONTWAIT : 0);
    long count = 0;
    do {
        // Addressed by path each time: journald may have restarted.
        count = ::sendto(socket_, entry.data(), entry.size(), flags, reinterpret_cast<const sockaddr*>(&address),
                         sizeof address);
    } while (count < 0 && errno == EINTR);
    if (count >= 0) {
        entry.clear();
        return LogQueue::Sent::all;
    }
    return errno == EAGAIN || errno == EWOULDBLOCK ? LogQueue::Sent::not_yet : LogQueue::Sent::never;
}

bool journal_is_there(const std::string& path)
{
    return ::access(path.c_str(), W_OK) == 0;
}

}  // namespace shelfd
