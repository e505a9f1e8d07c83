// What a token endpoint sends, whole and cut.
#include "oauth/set/token_answer.hpp"
#include "fuzz/input.hpp"
#include "oauth/endpoint/answer_class.hpp"

#include <array>

using namespace shelfd;
using namespace shelfd::oauth;
using fuzz::promise;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto body = fuzz::text_of(data, size);
    const auto whole = parse_token_answer(body);
    if (whole) {
        promise(is_token_text(whole->access.reveal()), "an access token can go into a header");
        promise(whole->refresh.empty() || is_refresh_text(whole->refresh.reveal()),
                "a refresh token can go into a form");
        promise(!whole->lifetime || (*whole->lifetime >= Duration(0) && *whole->lifetime <= max_lifetime),
                "a lifetime is one");
        promise(!whole->has_unread_refresh, "a set whose refresh token is not clear is none");
    }
    for (const auto end : {AnswerEnd::open, AnswerEnd::closed}) {
        const auto saved = salvage_token_answer(body, end);
        promise(saved.access.empty() || is_token_text(saved.access.reveal()), "a saved access token is one");
        promise(saved.refresh.empty() || is_refresh_text(saved.refresh.reveal()), "a saved refresh token is one");
    }
    const auto error = parse_oauth_error(body);
    promise(error.code.empty() || error.code == error.said, "what is known is said as it is known");
    // One of them for each input: a small change of an input brings another.
    constexpr std::array statuses = {200, 400, 500, 0};
    const auto choice = size > 0 ? data[size / 2] + size : 0;
    const auto landed = classify({statuses[choice % 4], choice / 4 % 2 == 0, body, Duration(0)});
    promise(landed.answer != AnswerClass::granted || !landed.tokens.access.empty(), "what is granted is there");
    promise(*to_string(landed.answer) != '\0', "an answer has a class with a name");
    return 0;
}
