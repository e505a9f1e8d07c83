#include "ctl/start/trial_token.hpp"

#include "base/text.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace shelfd::ctl {
namespace {

// No JSON, no lines NAME=VALUE. "access_token=" is such a line without its value.
bool is_token(std::string_view text)
{
    const auto body = text.substr(0, text.find_last_not_of('=') + 1);
    return body != "access_token" && body.find_first_of("{=\n") == std::string_view::npos;
}

}  // namespace

Secret token_paste(const Secret& given)
{
    auto text = trimmed(given.reveal());
    constexpr std::string_view scheme = "bearer ";  // in any case (RFC 9110 section 11.1)
    if (lower(text.substr(0, scheme.size())) == scheme) {
        text = trimmed(text.substr(scheme.size()));
    }
    std::string paste;
    paste.reserve(text.size() + 16);  // no copy of the token is left behind
    paste += is_token(text) ? "access_token=" : "";
    paste += text;
    return Secret(std::move(paste));
}

}  // namespace shelfd::ctl
