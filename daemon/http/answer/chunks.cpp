#include "http/answer/chunks.hpp"

#include "base/secret.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace shelfd::http {
namespace {

// More than any server sends as the extensions of a chunk, or as a trailer.
constexpr std::size_t longest_line = 4096;

bool is_hexadecimal(char c)
{
    return (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'f');
}

// True for the beginning of a chunk's first line: digits, blanks, then extensions or the end of the line.
bool fits_size(std::string_view line)
{
    const auto digits = std::find_if_not(line.begin(), line.end(), is_hexadecimal);
    const auto next = std::find_if_not(digits, line.end(), [](char c) { return c == ' ' || c == '\t'; });
    return digits == line.end() ||
           (digits != line.begin() && (next == line.end() || *next == ';' || *next == '\r' || *next == '\n'));
}

bool opens_json(char c)
{
    return c == '{' || c == '[';
}

}  // namespace

Chunks::~Chunks()
{
    Secret::wipe(line_);
}

std::string_view Chunks::next(std::string_view& rest)
{
    if (is_given_) {
        Secret::wipe(line_);
        is_given_ = false;
    }
    while (!rest.empty()) {
        if (part_ == Part::data || part_ == Part::foreign) {
            return data(rest);
        }
        const bool had_last = has_last_;
        line_ += rest.front();
        rest.remove_prefix(1);
        if (!follow(line_.back())) {
            part_ = Part::foreign;
            is_given_ = true;
            return line_;
        }
        if (has_last_ && !had_last) {
            return {};
        }
    }
    return {};
}

std::string_view Chunks::data(std::string_view& rest)
{
    const auto size = part_ == Part::data ? std::min<std::uint64_t>(left_, rest.size()) : rest.size();
    const auto piece = rest.substr(0, size);
    rest.remove_prefix(size);
    left_ -= part_ == Part::data ? size : 0;
    part_ = part_ == Part::data && left_ == 0 ? Part::end : part_;
    return piece;
}

bool Chunks::follow(char c)
{
    if (line_.size() > longest_line) {
        return false;
    }
    switch (part_) {
    case Part::size: return fits_size(line_) && (c != '\n' || end_size());
    case Part::end:
        if (c != '\n') {
            return line_ == "\r";
        }
        line_.clear();
        part_ = Part::size;
        return true;
    case Part::trailer: return !opens_json(line_.front()) && (c != '\n' || end_trailer());
    case Part::data:
    case Part::foreign: break;
    }
    return false;
}

bool Chunks::end_size()
{
    const auto read = std::from_chars(line_.data(), line_.data() + line_.size(), left_, 16);
    if (read.ec != std::errc()) {
        return false;
    }
    line_.clear();
    has_last_ = left_ == 0;
    part_ = has_last_ ? Part::trailer : Part::data;
    return true;
}

bool Chunks::end_trailer()
{
    const bool is_empty = line_ == "\n" || line_ == "\r\n";
    line_.clear();
    part_ = is_empty ? Part::foreign : part_;
    return true;
}

}  // namespace shelfd::http
