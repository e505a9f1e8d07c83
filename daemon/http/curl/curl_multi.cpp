#include "http/curl/curl_multi.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <array>

#include <utility>

#include <curl/curl.h>
#include <sys/socket.h>

namespace shelfd::http {

// A socket of libcurl, watched by Asio's reactor as long as libcurl wants its events.
struct CurlMulti::Watch {
    Watch(const asio::any_io_executor& executor, int number) : socket(executor), fd(number) {}

    asio::generic::stream_protocol::socket socket;
    int fd;
    int wanted = CURL_POLL_NONE;
    bool waiting_read = false;
    bool waiting_write = false;
    bool ended = false;  // by the peer: Asio reports that only once
    bool closed = false;
    std::array<char, 1> glimpse{};

    void close()
    {
        closed = true;
        if (socket.is_open()) {
            boost::system::error_code ignored;
            socket.release(ignored);  // libcurl owns and closes the socket
        }
    }
};

Result<std::shared_ptr<CurlMulti>> CurlMulti::open(asio::any_io_executor executor)
{
    // Reference-counted by libcurl and thread-safe since 7.84; the destructor releases it.
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
        return Error(ErrorKind::network, "libcurl cannot be initialised").with(Delivery::not_sent);
    }
    void* multi = curl_multi_init();
    if (multi == nullptr) {
        curl_global_cleanup();
        return Error(ErrorKind::network, "libcurl has no memory for a transfer pool").with(Delivery::not_sent);
    }
    std::shared_ptr<CurlMulti> self(new CurlMulti(std::move(executor), multi));
    curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, &CurlMulti::on_socket);
    curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, self.get());
    curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, &CurlMulti::on_timer);
    curl_multi_setopt(multi, CURLMOPT_TIMERDATA, self.get());
    return self;
}

CurlMulti::CurlMulti(asio::any_io_executor executor, void* multi)
    : executor_(std::move(executor)), multi_(multi), timer_(executor_)
{
}

CurlMulti::~CurlMulti()
{
    // Cleaning up closes idle connections; do not report them to a half-destroyed object.
    curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, nullptr);
    curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, nullptr);
    for (auto& [fd, watch] : watches_) {
        watch->close();
    }
    curl_multi_cleanup(multi_);
    curl_global_cleanup();
}

Result<void> CurlMulti::add(void* easy, std::function<void(int code)> ended)
{
    ended_.emplace(easy, std::move(ended));
    const auto code = curl_multi_add_handle(multi_, easy);
    if (code != CURLM_OK) {
        ended_.erase(easy);
        return Error(ErrorKind::network,
                     std::string("libcurl does not accept a transfer: ") + curl_multi_strerror(code))
            .with(Delivery::not_sent);
    }
    keep_connections();
    return {};
}

// By itself, libcurl 7.88 keeps four connections a transfer: each request that ends while it is the only one closes a
// connection beyond four, which the next eight requests need again.
void CurlMulti::keep_connections()
{
    constexpr std::size_t least = 16;  // twice the `in_flight` of a service that has none configured
    const auto wanted = std::max(least, 4 * ended_.size());
    if (std::exchange(kept_, wanted) != wanted) {
        curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, static_cast<long>(wanted));
    }
}

void CurlMulti::remove(void* easy)
{
    curl_multi_remove_handle(multi_, easy);
    ended_.erase(easy);
    keep_connections();
}

int CurlMulti::on_timer(void*, long milliseconds, void* self) noexcept
{
    auto& multi = *static_cast<CurlMulti*>(self);
    multi.timer_.cancel();
    const auto wish = ++multi.wishes_;
    auto due = [weak = multi.weak_from_this(), wish](const boost::system::error_code& = {}) {
        // Only the newest timer request counts.
        if (const auto alive = weak.lock(); alive && alive->wishes_ == wish) {
            alive->act(CURL_SOCKET_TIMEOUT, 0);
        }
    };
    // libcurl must not be called from its own callback, so even a time of zero waits for the next turn of the loop. It
    // is posted, because a timer would cost system calls.
    if (milliseconds == 0) {
        asio::post(multi.executor_, std::move(due));
    } else if (milliseconds > 0) {
        multi.timer_.expires_after(std::chrono::milliseconds(milliseconds));
        multi.timer_.async_wait(std::move(due));
    }
    return 0;
}

int CurlMulti::on_socket(void*, int fd, int what, void* self, void*) noexcept
{
    static_cast<CurlMulti*>(self)->follow(fd, what);
    return 0;
}

void CurlMulti::follow(int fd, int wanted)
{
    const auto known = watches_.find(fd);
    if (wanted == CURL_POLL_REMOVE) {
        if (known != watches_.end()) {
            known->second->close();
            watches_.erase(known);
        }
        return;
    }
    auto& watch = known != watches_.end() ? known->second : watches_[fd];
    if (!watch) {
        watch = std::make_shared<Watch>(executor_, fd);
        boost::system::error_code refused;
        watch->socket.assign({AF_UNSPEC, 0}, fd, refused);
        if (refused) {
            watch->closed = true;  // the kernel has no memory: the transfer ends at its deadline
        }
    }
    watch->wanted = wanted;
    arm(watch);
}

void CurlMulti::arm(const std::shared_ptr<Watch>& watch)
{
    if (!watch->closed && (watch->wanted & CURL_POLL_IN) != 0 && !watch->waiting_read) {
        watch->waiting_read = true;
        arm(watch, Side::read);
    }
    if (!watch->closed && (watch->wanted & CURL_POLL_OUT) != 0 && !watch->waiting_write) {
        watch->waiting_write = true;
        arm(watch, Side::write);
    }
}

void CurlMulti::arm(const std::shared_ptr<Watch>& watch, Side side)
{
    auto ready = [weak = weak_from_this(), watch, side](const boost::system::error_code& error, std::size_t = 0) {
        (side == Side::read ? watch->waiting_read : watch->waiting_write) = false;
        watch->ended = watch->ended || error == asio::error::eof;
        const auto alive = weak.lock();
        // A closed watch may have been ready just before, and its descriptor may already belong to another socket.
        if (!alive || watch->closed || error == asio::error::operation_aborted) {
            return;
        }
        const auto events = error && !watch->ended ? CURL_CSELECT_ERR
                            : side == Side::read   ? CURL_CSELECT_IN
                                                   : CURL_CSELECT_OUT;
        if ((watch->wanted & (side == Side::read ? CURL_POLL_IN : CURL_POLL_OUT)) != 0) {
            alive->act(watch->fd, events);
        }
        alive->arm(watch);
    };
    if (side == Side::write) {
        watch->socket.async_wait(asio::socket_base::wait_write, std::move(ready));
    } else if (watch->ended) {
        asio::post(executor_, [ready = std::move(ready)] { ready({}); });
    } else {
        // Peeks at the first byte instead of waiting for readiness: Asio begins each such wait with an epoll_ctl, but a
        // peek with the recv itself. So between sending a request and receiving its answer there is only the wait: no
        // system call of ours delays an answer that exists only once.
        watch->socket.async_receive(asio::buffer(watch->glimpse), asio::socket_base::message_peek, std::move(ready));
    }
}

void CurlMulti::act(int fd, int events)
{
    int running = 0;
    curl_multi_socket_action(multi_, fd, events, &running);
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi_, &left)) {
        const auto found = ended_.find(message->easy_handle);
        if (message->msg == CURLMSG_DONE && found != ended_.end()) {
            auto ended = std::move(found->second);
            ended_.erase(found);
            ended(static_cast<int>(message->data.result));
        }
    }
}

}  // namespace shelfd::http
