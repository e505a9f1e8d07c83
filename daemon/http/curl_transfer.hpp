// One request as a libcurl handle: how it is set up, what is noticed while it runs, what it came to.
#pragma once

#include "http/client.hpp"
#include "http/header_list.hpp"

#include <exception>
#include <memory>
#include <string>
#include <string_view>

namespace shelfd::http {

// Belongs to one coroutine; must be out of the multi handle before it dies. Loop only.
class CurlTransfer {
public:
    // Fails with kind usage, not_sent, when the request cannot be put into bytes (a bad address, a line break in a
    // header or token).
    static Result<std::unique_ptr<CurlTransfer>> prepare(Request request, const std::string& user_agent);
    CurlTransfer(const CurlTransfer&) = delete;
    CurlTransfer& operator=(const CurlTransfer&) = delete;
    ~CurlTransfer();

    void* easy() const { return easy_; }

    // Whether a byte came or went since the last call.
    bool take_activity() { return std::exchange(active_, false); }
    // Whether the request was handed to a connection. While false, provably no byte of it has left.
    bool is_under_way() const { return times_sent_ > 0; }
    Delivery delivery() const;

    // What it came to, after libcurl ended it with this CURLcode. Once.
    Result<Response> finish(int code);
    // What it came to when our own clock ended it: nothing came or went for the idle time.
    Error idle() const;

private:
    enum class Fault { none, body_too_large, headers_too_large, not_taken };

    explicit CurlTransfer(Request request);
    void set_address();
    void set_trust();
    void set_body();

    static int on_request(void* self, char*, char*, int, int) noexcept;
    static std::size_t on_header(char* data, std::size_t, std::size_t size, void* self) noexcept;
    static std::size_t on_body(char* data, std::size_t, std::size_t size, void* self) noexcept;
    static std::size_t on_upload(char* into, std::size_t, std::size_t room, void* self) noexcept;
    static int on_rewind(void* self, std::int64_t, int) noexcept;

    // What takes the answer throws: no memory, or a bug. Nothing may leave a function that C calls.
    std::size_t not_taken(const std::exception_ptr& why) noexcept;
    std::size_t add_piece(std::string_view piece);
    std::string fault_text() const;
    Error with_facts(Error error) const;
    void parse_header_line(std::string_view line);
    void parse_status_line(std::string_view line);

    Request request_;
    void* easy_;
    HeaderList headers_;
    std::string place_;       // "api.example.com:443", for texts
    std::string error_text_;  // libcurl's own words; shown only where they are known to hold no secret
    Response response_;
    std::size_t body_sent_ = 0;
    std::size_t header_bytes_ = 0;
    std::uint32_t times_sent_ = 0;
    bool headers_complete_ = false;
    bool active_ = false;
    Fault fault_ = Fault::none;
    std::exception_ptr not_taken_;
};

}  // namespace shelfd::http
