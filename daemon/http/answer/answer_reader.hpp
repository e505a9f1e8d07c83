// Splits the bytes of a connection into the head and the body of one answer, whatever is wrong with them.
#pragma once

#include "http/answer/chunks.hpp"
#include "http/answer/incoming_answer.hpp"

#include <string>
#include <string_view>

namespace shelfd::http {

// No byte of a body is lost because of a head that is not one: a line without a colon is skipped, a line that begins an
// object or array ends the head, and bytes that begin no head at all are a body (of an answer without a status).
class AnswerReader {
public:
    // For an answer to a request of Coding::as_sent, which must outlive this object.
    explicit AnswerReader(IncomingAnswer& answer) : answer_(answer) {}
    AnswerReader(const AnswerReader&) = delete;
    AnswerReader& operator=(const AnswerReader&) = delete;
    ~AnswerReader();

    // Takes what the connection brings next. Returns false if the transfer must end, see IncomingAnswer.
    bool take(std::string_view bytes);
    // True if bytes arrived that begin no HTTP answer.
    bool is_foreign() const { return part_ == Part::body && !answer_.has_head(); }

private:
    enum class Part {
        start,  // of a head, or the blank lines before it
        head,
        body,
    };

    // Take bytes from the front of `rest`.
    bool take_start(std::string_view& rest);
    bool take_head(std::string_view& rest);
    bool take_body(std::string_view& rest);
    bool end_line();

    IncomingAnswer& answer_;
    Part part_ = Part::start;
    std::string line_;  // as far as it has arrived
    Chunks chunks_;
};

}  // namespace shelfd::http
