#include "http/answer/incoming_answer.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include <fmt/format.h>

namespace shelfd::http {
namespace {

// A longer stated length is believed once that much has arrived.
constexpr std::size_t reserve_at_first = 256 * 1024;
// Of a body whose length is not stated.
constexpr std::size_t large = 1024 * 1024;
constexpr std::uint64_t unstated_at_most = 64U << 20U;
// Readers of JSON need so many bytes after it: without them each answer is copied once more.
constexpr std::size_t reserve_behind = 128;
// Of a server that keeps the connection open after an answer whose length is wrong. Both are longer than TCP takes to
// send a lost packet again (RFC 6298: usually some 200 ms).
constexpr Duration short_silence = std::chrono::milliseconds(500);
constexpr Duration long_silence = std::chrono::seconds(5);

}  // namespace

IncomingAnswer::IncomingAnswer(const Request& request)
    : request_(request), share_(request.room ? std::make_shared<BodyRoom::Share>(request.room) : nullptr)
{
}

bool IncomingAnswer::take_line(std::string_view line)
{
    header_bytes_ += line.size();
    if (header_bytes_ > max_header_bytes) {
        excess_ = Excess::headers;
        return false;
    }
    while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) {
        line.remove_suffix(1);
    }
    if (!has_head_) {
        read_line(line);
    }
    // Where such a body ends is not known: it would be waited for in vain.
    return request_.coding == Coding::as_sent || !end_.has_unusable_length();
}

void IncomingAnswer::read_line(std::string_view line)
{
    if (line.substr(0, 5) == "HTTP/") {
        read_status(line);
    } else if (status_ == 0) {
        return;  // belongs to a 1xx
    } else if (!line.empty()) {
        read_header(line);
    } else {
        has_head_ = true;
        end_ = BodyEnd(status_, headers_);
        if (request_.on_headers) {
            request_.on_headers(status_);
        }
    }
}

void IncomingAnswer::read_status(std::string_view line)
{
    const auto digits = trimmed(line.substr(std::min(line.find(' '), line.size())), http_space).substr(0, 3);
    int status = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), status);
    status_ = status >= 200 ? status : 0;
    headers_.clear();
}

void IncomingAnswer::read_header(std::string_view line)
{
    if ((line.front() == ' ' || line.front() == '\t') && !headers_.empty()) {
        // folded line, RFC 9112 section 5.2
        headers_.back().value += fmt::format(" {}", trimmed(line, http_space));
    } else if (const auto colon = line.find(':'); colon != std::string_view::npos) {
        headers_.push_back(
            {std::string(line.substr(0, colon)), std::string(trimmed(line.substr(colon + 1), http_space))});
    }
}

bool IncomingAnswer::is_kept() const
{
    return !request_.on_piece || request_.keeping == Keeping::all || status_ != 200;
}

std::uint64_t IncomingAnswer::stated(std::uint64_t length) const
{
    return request_.coding == Coding::as_sent ? end_.stated() : length;
}

bool IncomingAnswer::take_piece(std::string_view piece, std::uint64_t length)
{
    if (request_.on_piece) {
        request_.on_piece(piece);
    }
    const bool may_lie = request_.coding == Coding::as_sent;
    if (is_kept() && body_.size() + piece.size() > request_.max_body) {
        excess_ = may_lie && end_.is_whole() ? Excess::none : Excess::body;
        return false;
    }
    if (is_kept()) {
        body_.reserve(capacity_for(piece.size(), stated(length)));
        body_.append(piece);
    }
    if (may_lie) {
        end_.take(piece);
    }
    return !end_.is_over();
}

// Without a stated length, what the body has outgrown by doubling stays in the heap, and counts, too.
bool IncomingAnswer::has_room_for(std::size_t more, std::uint64_t length, Duration waited)
{
    if (!share_ || !is_kept()) {
        return true;
    }
    const auto arrived = body_.size() + more;
    return share_->hold_after(waited, stated(length) >= arrived ? stated(length) : 2 * arrived);
}

void IncomingAnswer::call_when_room(std::function<void()> on_room)
{
    if (share_) {
        share_->call(std::move(on_room));
    }
}

bool IncomingAnswer::take_last_chunk()
{
    end_.take_last_chunk();
    return !end_.is_over();
}

// A large body is reserved at once, as long as is stated or else as long as it may be, to a limit: by doubling, half of
// it would be there twice, and what it outgrew would stay in the heap.
std::size_t IncomingAnswer::capacity_for(std::size_t more, std::uint64_t length) const
{
    const std::size_t least = body_.size() + more;
    const std::size_t now = body_.capacity();
    if (least <= now && !body_.empty()) {
        return now;
    }
    const bool is_stated = length > 0 && length + reserve_behind >= least;
    const auto most = static_cast<std::size_t>(std::min(request_.max_body, is_stated ? length : unstated_at_most));
    const auto whole = most + reserve_behind;
    if (body_.empty()) {
        return std::max(is_stated ? std::min(whole, reserve_at_first) : now, least);
    }
    const bool is_large = is_stated || least > large;
    const bool may_reserve = !share_ || share_->may_reserve(most);
    return is_large && may_reserve && whole >= least ? whole : std::max(least, 2 * now);
}

bool IncomingAnswer::is_whole() const
{
    if (request_.coding == Coding::as_sent) {
        return end_.is_whole();
    }
    const auto last = body_.find_last_not_of(" \t\r\n");
    if (last == std::string::npos || (body_[last] != '}' && body_[last] != ']')) {
        return false;
    }
    BodyEnd end;
    end.take(body_);
    return end.is_whole();
}

Duration IncomingAnswer::patience() const
{
    const auto idle = request_.timeouts.idle;
    if (request_.coding == Coding::undone) {
        return has_head_ && is_whole() ? std::min(idle, long_silence) : idle;
    }
    switch (end_.patience()) {
    case BodyEnd::Patience::idle: return idle;
    case BodyEnd::Patience::long_silence: return std::min(idle, long_silence);
    case BodyEnd::Patience::short_silence: return std::min(idle / 2, short_silence);
    }
    std::abort();
}

bool IncomingAnswer::is_complete(Ending ending) const
{
    // libcurl reports success for a connection closed in the middle of the headers: 200 and no bytes.
    if (!has_head_ || excess_ != Excess::none) {
        return false;
    }
    const bool is_believed = ending == Ending::closed && !end_.has_unusable_length();
    return request_.coding == Coding::as_sent ? end_.is_complete(ending) : is_believed;
}

Response IncomingAnswer::take_response()
{
    Response response;
    response.status = status_;
    response.headers = std::move(headers_);
    if (share_) {
        share_->arrived();
        response.share = std::move(share_);
    }
    response.body = std::move(body_);
    response.body.erase(0, response.body.size() - without_byte_order_mark(response.body).size());
    return response;
}

}  // namespace shelfd::http
