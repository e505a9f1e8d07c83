// Requests that a person makes to the service: one GET or OPTIONS each, only to the service's origin, without showing
// the token.
#pragma once

#include "budget/tally.hpp"
#include "http/client.hpp"
#include "sync/library/context.hpp"

#include <boost/asio/awaitable.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace shelfd::sync {

// Turns what a person typed into a target for the service. Errors: usage, if it is no path at the service's origin.
Result<std::string> checked_target(const config::Service& service, std::string_view typed);

// Loop only. Each request waits for its turn with Purpose::interactive and is counted for the library.
class Inquiry {
public:
    enum class Token {
        ours,
        wrong,  // a token that the service never issued: is it refused?
    };

    Inquiry(LibraryContext& context, std::string resource, budget::Reason reason)
        : context_(context), resource_(std::move(resource)), reason_(reason)
    {
    }

    // Returns any complete answer, whatever its status; the token is blotted out if the answer contains it. A 401
    // causes no refresh. Errors: those of the keeper and the network; throttled, if the service asked for a pause of
    // over 10 s.
    asio::awaitable<Result<http::Response>> ask(std::string target, Token token = Token::ours,
                                                http::Method method = http::Method::get);

    // Whoever asks several questions ends here: after an error of the keeper or of a used-up request limit, or after
    // three questions in a row without an answer. The error of the last question.
    const std::optional<Error>& gave_up() const { return gave_up_; }

private:
    asio::awaitable<Result<http::Response>> send(std::string target, Token token, oauth::AccessToken held,
                                                 http::Method method);

    LibraryContext& context_;
    std::string resource_;  // "" = none
    budget::Reason reason_;
    int failures_ = 0;  // in a row
    std::optional<Error> gave_up_;
};

}  // namespace shelfd::sync
