// One request as a libcurl handle: its options, its progress, its result.
#pragma once

#include "base/instant.hpp"
#include "http/answer/incoming_answer.hpp"
#include "http/client.hpp"
#include "http/curl/bare_exchange.hpp"
#include "http/curl/header_list.hpp"
#include "http/curl/open_connections.hpp"

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace shelfd::http {

// Belongs to one coroutine; must be removed from the multi handle before it is destroyed. Loop only.
class CurlTransfer {
public:
    // Fails with kind usage, not_sent, if the request is invalid (a bad address, a line break in a header or token).
    static Result<std::unique_ptr<CurlTransfer>> prepare(Request request, const std::string& user_agent);
    CurlTransfer(const CurlTransfer&) = delete;
    CurlTransfer& operator=(const CurlTransfer&) = delete;
    ~CurlTransfer();

    void* easy() const { return easy_; }

    // True if a byte was sent or received since the last call.
    bool take_activity() { return bare_ ? bare_->take_activity() : std::exchange(active_, false); }
    // True if the request was handed to a connection. While false, certainly no byte of it has left.
    bool is_under_way() const { return times_sent_ > 0; }
    Delivery delivery() const;

    // Call before it is added: the connections that may be used again; they outlive it.
    void follow_connections(const OpenConnections& connections) { connections_ = &connections; }
    // True if libcurl ended it before the request was sent, because bytes waited on a connection that was open already:
    // they would have been taken for its answer. Then call `demand_new_connection`, and add it again.
    bool is_spoiled() const { return is_spoiled_; }
    void demand_new_connection();

    // True for Coding::as_sent: libcurl only connects. After its CURLE_OK call `begin_exchange` once, then `advance`
    // whenever the socket is ready.
    bool is_bare() const { return request_.coding == Coding::as_sent; }
    int socket() const;
    void begin_exchange();
    BareExchange::State advance() noexcept;
    bool has_unsent() const { return bare_ && bare_->has_unsent(); }
    // The result. Call once, instead of `finish`.
    Result<Response> finish_exchange(BareExchange::State ended);
    Result<Response> finish_late();

    // True while Request::room has no room for more of the body. `on_room` is called from then on when there may be:
    // then, and from time to time, call `go_on`, not from a libcurl callback.
    bool is_paused() const { return waiting_piece_ > 0; }
    void call_when_room(std::function<void()> on_room) { answer_.call_when_room(std::move(on_room)); }
    void go_on();

    // The result, after libcurl ended it with this CURLcode. Call once.
    Result<Response> finish(int code);
    // After which silence, without a byte sent or received, our own timer ends it.
    Duration patience() const { return answer_.patience(); }
    // The result then. Call instead of `finish`.
    Result<Response> finish_in_silence();

private:
    explicit CurlTransfer(Request request);
    void set_transfer();

    static int on_request(void* self, char* peer, char*, int peer_port, int local_port) noexcept;
    static std::size_t on_header(char* data, std::size_t, std::size_t size, void* self) noexcept;
    static std::size_t on_body(char* data, std::size_t, std::size_t size, void* self) noexcept;
    static std::size_t on_upload(char* into, std::size_t, std::size_t room, void* self) noexcept;
    static int on_rewind(void* self, std::int64_t, int) noexcept;

    // Records an exception (no memory, or a bug) thrown while receiving: none may leave a function called from C.
    std::size_t not_taken(const std::exception_ptr& why) noexcept;
    bool has_unread(const char* peer, int peer_port, int local_port) const;
    std::uint64_t length() const;
    std::string fault() const;
    Error too_short() const;
    Response response();
    Error with_facts(Error error) const;

    Request request_;
    void* easy_;
    HeaderList headers_;
    std::string place_;       // "api.example.com:443", for messages
    std::string error_text_;  // libcurl's message; shown only where it is known to hold no secret
    IncomingAnswer answer_;
    Secret bare_request_;
    std::optional<BareExchange> bare_;
    std::size_t body_sent_ = 0;
    std::size_t waiting_piece_ = 0;  // bytes that wait for room
    BootTime waits_since_;
    std::uint32_t times_sent_ = 0;
    const OpenConnections* connections_ = nullptr;
    bool is_spoiled_ = false;
    bool active_ = false;
    std::exception_ptr not_taken_;
};

}  // namespace shelfd::http
