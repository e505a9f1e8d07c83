#include "http/incoming_answer.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace shelfd::http {
namespace {

constexpr std::uint64_t reserve_at_most = 1024 * 1024;
// Readers of JSON need so many bytes after it: without them each answer is copied once more.
constexpr std::size_t reserve_behind = 128;

}  // namespace

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
    return true;
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

bool IncomingAnswer::take_piece(std::string_view piece, std::uint64_t length)
{
    if (request_.on_piece) {
        request_.on_piece(piece);
        if (request_.keeping == Keeping::refusals && status_ == 200) {
            return true;
        }
    }
    if (body_.size() + piece.size() > request_.max_body) {
        excess_ = Excess::body;
        return false;
    }
    if (body_.empty() && length > 0) {
        body_.reserve(std::min(length + reserve_behind, reserve_at_most));
    }
    body_.append(piece);
    return true;
}

Response IncomingAnswer::take_response()
{
    Response response;
    response.status = status_;
    response.headers = std::move(headers_);
    response.body = std::move(body_);
    response.body.erase(0, response.body.size() - without_byte_order_mark(response.body).size());
    return response;
}

}  // namespace shelfd::http
