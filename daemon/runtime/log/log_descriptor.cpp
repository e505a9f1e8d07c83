#include "runtime/log/log_descriptor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <climits>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace shelfd {
namespace {

bool takes_more(int descriptor, std::chrono::milliseconds patience)
{
    pollfd wanted{descriptor, POLLOUT, 0};
    return ::poll(&wanted, 1, static_cast<int>(patience.count())) > 0;
}

}  // namespace

LogDescriptor::LogDescriptor(int descriptor) : descriptor_(descriptor)
{
    struct stat status {};
    const int flags = ::fcntl(descriptor, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY || ::fstat(descriptor, &status) != 0) {
        return;  // writing will report it
    }
    if (S_ISSOCK(status.st_mode)) {
        way_ = Way::send;
    } else if (S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode)) {
        const auto path = fmt::format("/proc/self/fd/{}", descriptor);
        own_ = ::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
        way_ = own_ < 0 ? Way::look_first : Way::write;
    }
}

LogDescriptor::~LogDescriptor()
{
    if (own_ >= 0) {
        ::close(own_);
    }
}

long LogDescriptor::write_some(const std::string& text) const
{
    switch (way_) {
    case Way::write: return ::write(own_ >= 0 ? own_ : descriptor_, text.data(), text.size());
    case Way::send: return ::send(descriptor_, text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    case Way::look_first: break;
    }
    if (!takes_more(descriptor_, std::chrono::milliseconds(0))) {
        errno = EAGAIN;
        return -1;
    }
    // A pipe that is ready accepts that much without blocking (pipe(7)).
    return ::write(descriptor_, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
}

LogQueue::Sent LogDescriptor::send(std::string& text, std::chrono::milliseconds patience) const
{
    while (!text.empty()) {
        const auto count = write_some(text);
        if (count >= 0) {
            text.erase(0, static_cast<std::size_t>(count));
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            if (patience.count() == 0 || !takes_more(own_ >= 0 ? own_ : descriptor_, patience)) {
                return LogQueue::Sent::not_yet;
            }
            patience = std::chrono::milliseconds(0);
        } else if (errno != EINTR) {
            return LogQueue::Sent::never;
        }
    }
    return LogQueue::Sent::all;
}

}  // namespace shelfd
