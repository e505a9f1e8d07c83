// What has arrived of the answer to one request: its head line by line, its body piece by piece.
#pragma once

#include "http/answer/body_end.hpp"
#include "http/client.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace shelfd::http {

// Interim answers (1xx) and the trailers of a chunked body (RFC 9112 section 7.1.2) are not kept.
class IncomingAnswer {
public:
    enum class Excess { none, headers, body };
    static constexpr std::size_t max_header_bytes = 256 * 1024;

    // The request must outlive this object. Its `on_headers` and `on_piece` are called, and may throw.
    explicit IncomingAnswer(const Request& request);

    // Take a line of the head with its end, or a piece of the body; `length` is that of the whole body, 0 = not known.
    // They return false if the transfer must end: something is too large, of Coding::undone the length is unusable, or
    // of Coding::as_sent all has arrived.
    bool take_line(std::string_view line);
    // Call before take_piece: false while Request::room has no room for so much more of the body, or for its stated
    // length. Then call again after `on_room` of call_when_room, or some time, with how long it has waited.
    bool has_room_for(std::size_t more, std::uint64_t length, Duration waited = Duration(0));
    void call_when_room(std::function<void()> on_room);
    bool take_piece(std::string_view piece, std::uint64_t length);
    // Of Coding::as_sent, after the pieces of the last chunk.
    bool take_last_chunk();

    // Which part is larger than it may be.
    Excess excess() const { return excess_; }
    // 0 = none yet
    int status() const { return status_; }
    bool has_head() const { return has_head_; }
    bool is_chunked() const { return end_.is_chunked(); }
    // After which silence on an open connection nothing more is to be expected. Ask only after some silence.
    Duration patience() const;
    bool is_complete(Ending ending) const;
    bool has_unusable_length() const { return end_.has_unusable_length(); }
    // True if the body, as far as it has arrived and is kept, is a whole object or array. For Coding::undone this scans
    // the whole body: ask only after a silence or the end.
    bool is_whole() const;
    // Call once.
    Response take_response();

private:
    void read_line(std::string_view line);
    void read_status(std::string_view line);
    void read_header(std::string_view line);
    bool is_kept() const;
    std::uint64_t stated(std::uint64_t length) const;
    std::size_t capacity_for(std::size_t more, std::uint64_t length) const;

    const Request& request_;
    int status_ = 0;
    std::vector<Header> headers_;
    std::size_t header_bytes_ = 0;
    bool has_head_ = false;
    std::string body_;
    std::shared_ptr<BodyRoom::Share> share_;
    BodyEnd end_;  // is given the body of Coding::as_sent
    Excess excess_ = Excess::none;
};

}  // namespace shelfd::http
