// libcurl's multi interface on an Asio loop: many transfers in one thread, without polling.
#pragma once

#include "base/result.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>

namespace shelfd::http {

namespace asio = boost::asio;

// Handles sockets and timers, nothing of HTTP. Handles are the `CURL*` of <curl/curl.h>, which is `void*`.
// Loop only. Held by shared_ptr, because handlers queued in Asio check whether it still exists.
class CurlMulti : public std::enable_shared_from_this<CurlMulti> {
public:
    static Result<std::shared_ptr<CurlMulti>> open(asio::any_io_executor executor);
    CurlMulti(const CurlMulti&) = delete;
    CurlMulti& operator=(const CurlMulti&) = delete;
    ~CurlMulti();

    // Starts the transfer in the next turn of the loop. Calls `ended(CURLcode)` once, from the loop, unless the handle
    // is removed first; `ended` must not call back into this object.
    Result<void> add(void* easy, std::function<void(int code)> ended);
    // Stops the transfer. Call for every handle that was added, ended or not, and not from a libcurl callback.
    void remove(void* easy);

private:
    struct Watch;
    enum class Side { read, write };

    CurlMulti(asio::any_io_executor executor, void* multi);
    static int on_socket(void* easy, int fd, int what, void* self, void* unused) noexcept;
    static int on_timer(void* multi, long milliseconds, void* self) noexcept;
    void keep_connections();
    void follow(int fd, int wanted);
    void arm(const std::shared_ptr<Watch>& watch);
    void arm(const std::shared_ptr<Watch>& watch, Side side);
    void act(int fd, int events);

    asio::any_io_executor executor_;
    void* multi_;
    asio::steady_timer timer_;
    std::uint64_t wishes_ = 0;  // counts libcurl's timer requests
    std::unordered_map<int, std::shared_ptr<Watch>> watches_;
    std::unordered_map<void*, std::function<void(int)>> ended_;
    std::size_t kept_ = 0;  // connections that libcurl keeps at most
};

}  // namespace shelfd::http
