#include "http/answer/body_end.hpp"

#include "base/text.hpp"
#include "base/words/digits.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>

namespace shelfd::http {
namespace {

// Digits only (RFC 9110 section 8.6); empty for anything else.
std::optional<std::uint64_t> length_of(std::string_view text)
{
    return number_in(trimmed(text, http_space));
}

// All headers of that name as one list.
std::optional<std::string> list_of(std::span<const Header> headers, std::string_view name)
{
    const auto is_it = [name](const Header& header) { return lower(header.name) == name; };
    if (std::none_of(headers.begin(), headers.end(), is_it)) {
        return std::nullopt;
    }
    Response answer;
    answer.headers.assign(headers.begin(), headers.end());
    return answer.joined(name);
}

bool is_redirect(int status)
{
    return status >= 300 && status < 400;
}

}  // namespace

BodyEnd::BodyEnd(int status, std::span<const Header> headers) : status_(status)
{
    const auto codings = list_of(headers, "transfer-encoding");
    const auto lengths = list_of(headers, "content-length");
    is_chunked_ = codings && lower(*codings).find("chunked") != std::string::npos;
    // RFC 9112 section 6.3: these have no body, and chunks go before a length.
    if (status == 204 || status == 304) {
        length_ = Length::stated;
    } else if (codings) {
        length_ = is_chunked_ ? Length::chunked : Length::absent;
    } else if (lengths) {
        read_length(*lengths);
    }
}

void BodyEnd::read_length(const std::string& list)
{
    // The same length twice is one length (RFC 9110 section 8.6).
    const auto first = length_of(std::string_view(list).substr(0, list.find(',')));
    bool is_usable = first.has_value();
    for (auto at = list.find(','); at != std::string::npos; at = list.find(',', at + 1)) {
        const auto next = std::string_view(list).substr(at + 1);
        is_usable = is_usable && length_of(next.substr(0, next.find(','))) == first;
    }
    length_ = is_usable ? Length::stated : Length::unusable;
    stated_ = is_usable ? *first : 0;
}

void BodyEnd::take(std::string_view piece)
{
    for (const char c : piece) {
        ++received_;
        if (text_ == Text::none || text_ == Text::open) {
            follow(c);
        }
    }
}

void BodyEnd::follow(char c)
{
    if (text_ == Text::none) {
        const bool opens = c == '{' || c == '[';
        const bool may_stand_before = std::string_view(" \t\r\n\xef\xbb\xbf").find(c) != std::string_view::npos;
        text_ = opens ? Text::open : may_stand_before ? Text::none : Text::other;
        depth_ = opens ? 1 : 0;
    } else if (in_string_) {
        in_string_ = escaped_ || c != '"';
        escaped_ = !escaped_ && c == '\\';
    } else if (c == '"') {
        in_string_ = true;
    } else {
        depth_ += c == '{' || c == '[' ? 1 : 0;
        depth_ -= c == '}' || c == ']' ? 1 : 0;
        text_ = depth_ == 0 ? Text::whole : Text::open;
        whole_at_ = received_;
    }
}

bool BodyEnd::is_over() const
{
    return is_whole() && (has_last_chunk_ || (has_stated() && whole_at_ <= stated_));
}

BodyEnd::Patience BodyEnd::patience() const
{
    if (is_whole() || (is_as_stated() && text_ != Text::open)) {
        return Patience::short_silence;
    }
    return has_stated() || has_last_chunk_ || is_redirect(status_) ? Patience::long_silence : Patience::idle;
}

bool BodyEnd::is_complete(Ending ending) const
{
    // The status and the headers of a redirect say what it means.
    if (is_whole() || (is_redirect(status_) && ending != Ending::broken)) {
        return true;
    }
    switch (length_) {
    case Length::absent: return ending == Ending::closed;
    case Length::chunked: return has_last_chunk_;
    case Length::stated: return is_as_stated() || (has_stated() && ending != Ending::broken);
    // A text that may be cut is no set; a refusal, or nothing at all, says no less by that.
    case Length::unusable:
        return ending == Ending::closed && (received_ == 0 || (status_ >= 300 && text_ != Text::open));
    }
    std::abort();
}

}  // namespace shelfd::http
