#include "ctl/login/authorization.hpp"

#include "base/sha256.hpp"
#include "base/text.hpp"
#include "http/url.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace shelfd::ctl {
namespace {

// RFC 4648 section 5, without padding.
std::string base64url(std::span<const std::byte> bytes)
{
    constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    std::string text;
    std::uint32_t bits = 0;
    int count = 0;
    for (const auto byte : bytes) {
        bits = (bits << 8) | std::to_integer<std::uint32_t>(byte);
        for (count += 8; count >= 6; count -= 6) {
            text += digits[(bits >> (count - 6)) & 63u];
        }
    }
    if (count > 0) {
        text += digits[(bits << (6 - count)) & 63u];
    }
    return text;
}

template <std::size_t Size>
std::string unguessable(const RandomBytes& random)
{
    std::array<std::byte, Size> bytes{};
    random(bytes);
    return base64url(bytes);
}

// The parameters of a query; wipes them, because one may be a code.
class Fields {
public:
    explicit Fields(std::string_view query) : params_(http::parse_query(query)) {}
    Fields(const Fields&) = delete;
    Fields& operator=(const Fields&) = delete;
    ~Fields()
    {
        for (auto& param : params_) {
            Secret::wipe(param.value);
        }
    }
    std::string_view operator[](std::string_view name) const
    {
        const auto found =
            std::find_if(params_.begin(), params_.end(), [&](const auto& param) { return param.name == name; });
        return found == params_.end() ? std::string_view() : found->value;
    }

private:
    http::Params params_;
};

bool is_code(std::string_view text)
{
    return !text.empty() && text.size() <= 4096 &&
           std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7f; });
}

}  // namespace

Authorization::Authorization(Place place, const RandomBytes& random)
    : place_(std::move(place)), state_(unguessable<16>(random)), verifier_(unguessable<32>(random))
{
}

std::string Authorization::url() const
{
    std::vector<std::string> scopes;
    for (const auto& scope : place_.scopes) {
        scopes.push_back(http::percent_encode(scope));
    }
    return fmt::format("{}?response_type=code&client_id={}&redirect_uri={}&scope={}&state={}&code_challenge={}"
                       "&code_challenge_method=S256",
                       place_.authorize_url, http::percent_encode(place_.client_id),
                       http::percent_encode(place_.redirect_uri), fmt::join(scopes, "+"), state_,
                       base64url(sha256(verifier_.reveal())));
}

std::optional<Result<Secret>> Authorization::read_redirect(std::string_view query) const
{
    const Fields fields(query);
    if (fields["state"] != state_) {
        return std::nullopt;
    }
    if (!fields["error"].empty()) {
        return refusal(fields["error"]);
    }
    if (!is_code(fields["code"])) {
        return std::nullopt;
    }
    return Result<Secret>(Secret(std::string(fields["code"])));
}

Result<Secret> Authorization::read_paste(std::string_view text) const
{
    text = trimmed(text);
    const bool is_address = text.find("://") != std::string_view::npos || text.find('?') != std::string_view::npos ||
                            text.find("code=") != std::string_view::npos;
    if (!is_address) {
        return is_code(text)
                   ? Result<Secret>(Secret(std::string(text)))
                   : Error(ErrorKind::usage, "this is neither a code nor the address of a page that shows one");
    }
    const auto question = text.find('?');
    auto query = question == std::string_view::npos ? text : text.substr(question + 1);
    query = query.substr(0, query.find('#'));
    const Fields fields(query);
    if (!fields["state"].empty() && fields["state"] != state_) {
        return Error(ErrorKind::usage,
                     "this address belongs to another login: open the address printed last, and paste its result");
    }
    if (!fields["error"].empty()) {
        return refusal(fields["error"]);
    }
    if (!is_code(fields["code"])) {
        return Error(ErrorKind::usage,
                     "this address contains no code: paste the address that the browser shows after the login");
    }
    return Secret(std::string(fields["code"]));
}

Result<Secret> Authorization::refusal(std::string_view error) const
{
    if (error == "access_denied") {
        return Error(ErrorKind::refused, "the login was refused (access_denied): the user who logged in did not allow "
                                         "the access; nothing was changed");
    }
    if (error == "invalid_scope") {
        return Error(ErrorKind::config,
                     fmt::format("the service does not grant these scopes (invalid_scope): {}; correct scopes of the "
                                 "application or needs of its lists, then: shelfctl reload; nothing was changed",
                                 fmt::join(place_.scopes, " ")));
    }
    std::string word;
    for (const char c : error.substr(0, 40)) {
        word += (c >= 'a' && c <= 'z') || c == '_' ? c : '?';
    }
    return Error(ErrorKind::refused, fmt::format("the service answered the login with {}; nothing was changed", word));
}

}  // namespace shelfd::ctl
