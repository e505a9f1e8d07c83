#include "runtime/async/directory_watch.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include <sys/inotify.h>

namespace shelfd {

DirectoryWatch::DirectoryWatch(const asio::any_io_executor& executor) : events_(executor)
{
    if (const int descriptor = inotify_init1(IN_NONBLOCK | IN_CLOEXEC); descriptor >= 0) {
        events_.assign(descriptor);
    }
}

bool DirectoryWatch::watch(const std::string& directory, Gone gone)
{
    if (!events_.is_open()) {
        return false;
    }
    const int number =
        inotify_add_watch(events_.native_handle(), directory.c_str(), IN_DELETE | IN_MOVED_FROM | IN_ONLYDIR);
    if (number < 0) {
        return false;
    }
    watches_[number] = {directory, std::move(gone)};
    return true;
}

void DirectoryWatch::forget(const std::string& directory)
{
    const auto found = std::find_if(watches_.begin(), watches_.end(),
                                    [&](const auto& watch) { return watch.second.directory == directory; });
    if (found != watches_.end()) {
        inotify_rm_watch(events_.native_handle(), found->first);
        watches_.erase(found);
    }
}

asio::awaitable<void> DirectoryWatch::run()
{
    std::array<char, 4096> events;
    while (events_.is_open()) {
        const auto size = co_await events_.async_read_some(asio::buffer(events), asio::use_awaitable);
        hear(events.data(), size);
    }
}

// A callback may forget watches.
void DirectoryWatch::call_all()
{
    std::vector<int> all;
    for (const auto& [number, watched] : watches_) {
        all.push_back(number);
    }
    for (const int number : all) {
        if (const auto found = watches_.find(number); found != watches_.end()) {
            const auto gone = found->second.gone;
            gone("");
        }
    }
}

// inotify(7): the name follows each event, padded with zeros.
void DirectoryWatch::hear(const char* events, std::size_t size)
{
    for (std::size_t at = 0; at + sizeof(inotify_event) <= size;) {
        inotify_event event = {};
        std::memcpy(&event, events + at, sizeof event);
        const std::string name(events + at + sizeof event, strnlen(events + at + sizeof event, event.len));
        at += sizeof event + event.len;
        if ((event.mask & IN_Q_OVERFLOW) != 0) {
            call_all();
            continue;
        }
        const auto found = watches_.find(event.wd);
        if (found == watches_.end()) {
            continue;
        }
        if ((event.mask & IN_IGNORED) != 0) {
            watches_.erase(found);  // the directory itself was removed
        } else if (!name.empty()) {
            const auto gone = found->second.gone;  // a copy: the callback may forget the watch
            gone(name);
        }
    }
}

}  // namespace shelfd
