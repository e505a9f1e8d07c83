// Questions of a person to the service: one GET each, our origin only, our token in nobody's hands.
#pragma once

#include "budget/ledger.hpp"
#include "http/client.hpp"
#include "sync/library/context.hpp"

#include <boost/asio/awaitable.hpp>

#include <string>
#include <string_view>

namespace shelfd::sync {

// What a person typed, as a target for the service. Errors: usage, for what is no path of our origin.
Result<std::string> checked_target(const config::Service& service, std::string_view typed);

// Loop only. Each request waits for its turn as somebody who waits (Purpose::interactive), and is booked in the
// library's ledger.
class Inquiry {
public:
    enum class Token {
        ours,
        wrong,  // one that nobody issued: is it refused?
    };

    Inquiry(LibraryContext& context, std::string resource, budget::Reason reason)
        : context_(context), resource_(std::move(resource)), reason_(reason)
    {
    }

    // Any complete answer, whatever its status. A token that the service repeats in its answer is blotted out. Never
    // refreshes because of a 401. Errors: those of the keeper and of the network.
    asio::awaitable<Result<http::Response>> ask(std::string target, Token token = Token::ours);

private:
    LibraryContext& context_;
    std::string resource_;  // "" = none
    budget::Reason reason_;
};

}  // namespace shelfd::sync
