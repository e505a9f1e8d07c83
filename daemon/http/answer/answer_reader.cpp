#include "http/answer/answer_reader.hpp"

#include "base/secret.hpp"

#include <utility>

namespace shelfd::http {
namespace {

constexpr std::string_view beginning = "HTTP/";

}  // namespace

AnswerReader::~AnswerReader()
{
    Secret::wipe(line_);
}

bool AnswerReader::take(std::string_view bytes)
{
    bool goes_on = true;
    while (goes_on && !bytes.empty()) {
        switch (part_) {
        case Part::start: goes_on = take_start(bytes); break;
        case Part::head: goes_on = take_head(bytes); break;
        case Part::body: goes_on = take_body(bytes); break;
        }
    }
    return goes_on;
}

bool AnswerReader::take_start(std::string_view& rest)
{
    const char c = rest.front();
    if (line_.empty() && (c == '\r' || c == '\n')) {
        rest.remove_prefix(1);
        return true;
    }
    line_ += c;
    rest.remove_prefix(1);
    if (line_ == beginning) {
        part_ = Part::head;
    } else if (!beginning.starts_with(line_)) {
        part_ = Part::body;
        return answer_.take_piece(std::exchange(line_, {}), 0);
    }
    return true;
}

bool AnswerReader::take_head(std::string_view& rest)
{
    if (line_.empty() && (rest.front() == '{' || rest.front() == '[')) {
        part_ = Part::body;
        return answer_.take_line("");
    }
    const auto size = std::min(rest.find('\n'), rest.size() - 1) + 1;
    line_ += rest.substr(0, size);
    rest.remove_prefix(size);
    const bool is_whole = line_.back() == '\n';
    return is_whole || line_.size() > IncomingAnswer::max_header_bytes ? end_line() : true;
}

bool AnswerReader::end_line()
{
    const auto line = std::exchange(line_, {});
    if (!answer_.take_line(line)) {
        return false;
    }
    const bool is_empty = line == "\n" || line == "\r\n";
    // After the head of an interim answer another one begins.
    part_ = answer_.has_head() ? Part::body : is_empty ? Part::start : part_;
    return true;
}

bool AnswerReader::take_body(std::string_view& rest)
{
    if (!answer_.is_chunked()) {
        return answer_.take_piece(std::exchange(rest, {}), 0);
    }
    const bool had_last = chunks_.has_last();
    const auto piece = chunks_.next(rest);
    if (!piece.empty() && !answer_.take_piece(piece, 0)) {
        return false;
    }
    return had_last || !chunks_.has_last() || answer_.take_last_chunk();
}

}  // namespace shelfd::http
