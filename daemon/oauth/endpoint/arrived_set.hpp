// Finds the token set in an answer, whatever its status and form: a set that has arrived must not be lost.
#pragma once

#include "oauth/set/token_answer.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace shelfd::oauth {

// What may be in the body of an answer.
class ArrivedSet {
public:
    // `presented`: the refresh token that was sent; "" = none.
    ArrivedSet(std::string_view body, std::string_view presented);

    struct Pair {
        TokenAnswer tokens;
        bool is_named = true;  // false: found under names that other texts have, too
    };
    // An access and a refresh token. The presented refresh token, and short texts, count only if the service granted
    // something.
    enum class Presented { counts, is_echo };
    std::optional<Pair> find_pair(AnswerEnd ending, Presented presented) const;
    // What can be read of a set that is not whole; its refresh token, if that is there, whatever is around the answer.
    TokenAnswer salvage(AnswerEnd ending) const;
    // A whole answer with an access token at least.
    std::optional<TokenAnswer> find_grant() const;
    OauthError find_error() const;

    // Whether a set may be in an answer from which none could be read.
    enum class Rest {
        nothing,  // an empty body, or an HTML page
        no_set,   // text without anything like tokens, or JSON whose end is missing
        set,      // it names tokens, or what it holds can be tokens
    };
    Rest rest() const;
    // True if a refusal names a refresh token that is not the presented one.
    bool names_new_refresh() const;
    // True if these tokens are no more than a repetition of the request.
    bool is_echo(const TokenAnswer& tokens) const;

private:
    std::optional<Pair> usable(TokenAnswer tokens, Presented presented) const;

    std::string_view body_;
    std::string_view presented_;
    std::vector<Secret> readings_;
};

}  // namespace shelfd::oauth
