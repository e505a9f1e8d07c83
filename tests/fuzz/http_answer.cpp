// The bytes of a connection that may bring a token set: whatever they are, and however they are cut into pieces.
#include "fuzz/input.hpp"
#include "http/answer/answer_reader.hpp"

#include <string>

using namespace shelfd;
using fuzz::promise;

namespace {

struct Read {
    std::string pieces;
    int status = 0;
    bool is_foreign = false;
    bool is_complete = false;
    bool goes_on = true;
};

Read read(std::string_view bytes, std::size_t step)
{
    Read result;
    http::Request request;
    request.coding = http::Coding::as_sent;
    request.on_piece = [&result](std::string_view piece) { result.pieces += piece; };
    http::IncomingAnswer answer(request);
    http::AnswerReader reader(answer);
    for (std::size_t at = 0; result.goes_on && at < bytes.size(); at += step) {
        result.goes_on = reader.take(bytes.substr(at, step));
    }
    result.status = answer.status();
    result.is_foreign = reader.is_foreign();
    result.is_complete = answer.is_complete(http::Ending::closed);
    promise(answer.patience() <= request.timeouts.idle, "no silence is longer than a request may be idle");
    promise(!result.is_foreign || !result.is_complete, "what has no head is no answer");
    promise(answer.take_response().body == result.pieces || result.pieces.starts_with("\xef\xbb\xbf"),
            "what is passed on is the body");
    return result;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string bytes(fuzz::text_of(data, size));
    const auto whole = read(bytes, std::max<std::size_t>(bytes.size(), 1));
    for (const std::size_t step : {std::size_t{1}, std::size_t{5}}) {
        const auto cut = read(bytes, step);
        promise(cut.status == whole.status && cut.is_foreign == whole.is_foreign, "a head is read the same in pieces");
        // Of an answer that is over, pieces beyond its end are not taken.
        const bool is_same = cut.pieces == whole.pieces && cut.is_complete == whole.is_complete;
        const bool is_over = !whole.goes_on && !cut.goes_on && whole.pieces.starts_with(cut.pieces);
        promise(is_same || is_over, "a body is read the same in pieces");
    }
    return 0;
}
