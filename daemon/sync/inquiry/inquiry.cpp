#include "sync/inquiry/inquiry.hpp"

#include "base/pause.hpp"
#include "http/url.hpp"
#include "sync/library/service_request.hpp"

#include <fmt/core.h>

namespace shelfd::sync {
namespace {

constexpr int max_failures = 3;  // in a row: each may take as long as a request's deadline

constexpr std::string_view blot = "[access token]";

void blot_out(std::string& text, std::string_view secret)
{
    for (auto at = text.find(secret); !secret.empty() && at != std::string::npos; at = text.find(secret, at)) {
        text.replace(at, secret.size(), blot);
        at += blot.size();
    }
}

}  // namespace

Result<std::string> checked_target(const config::Service& service, std::string_view typed)
{
    if (!typed.starts_with('/')) {
        return Error(ErrorKind::usage,
                     fmt::format("\"{}\" is not a path: it must begin with \"/\", and is requested from {}", typed,
                                 service.base_url));
    }
    const auto base = http::parse_url(service.base_url);
    const auto url = http::parse_url(service.base_url + std::string(typed));
    if (!base || !url) {
        return base ? url.error() : base.error();
    }
    if (url->origin != base->origin) {
        return Error(ErrorKind::usage, fmt::format("the path leads to another host than {}", service.base_url));
    }
    return std::string(typed.substr(0, typed.find('#')));
}

asio::awaitable<Result<http::Response>> Inquiry::ask(std::string target, Token token, http::Method method)
{
    // Before the permit, because the keeper may ask the canary, which needs a permit as well.
    auto held = co_await context_.keeper.access();
    if (!held) {
        gave_up_ = held.error();
        co_return std::move(held).error();
    }
    auto sending = send(std::move(target), token, std::move(*held), method);
    auto outcome = co_await std::move(sending);
    failures_ = outcome ? 0 : failures_ + 1;
    if (!outcome && (outcome.error().kind() == ErrorKind::throttled || failures_ >= max_failures)) {
        gave_up_ = outcome.error();
    }
    co_return outcome;
}

asio::awaitable<Result<http::Response>> Inquiry::send(std::string target, Token token, oauth::AccessToken held,
                                                      http::Method method)
{
    const auto paused_until = context_.limiter.status().paused_until;
    if (paused_until && *paused_until - context_.clock.now() > longest_silence) {
        co_return Error(ErrorKind::throttled, describe_pause(*paused_until) + "; try again then");
    }
    auto bearer = token == Token::ours ? held.token->clone() : Secret(std::string(oauth::wrong_token));
    ServiceRequest request{std::move(target), std::move(bearer), resource_, budget::Purpose::interactive,
                           reason_,           nullptr,           method};
    auto outcome = co_await send_request(context_, std::move(request));
    if (outcome) {
        blot_out(outcome->body, held.token->reveal());
        for (auto& header : outcome->headers) {
            blot_out(header.value, held.token->reveal());
        }
    }
    co_return outcome;
}

}  // namespace shelfd::sync
