#include "control/api/scrape_api.hpp"

#include "control/api/reply_json.hpp"
#include "runtime/async/task_group.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace shelfd::control {
namespace {

constexpr std::string_view scheme = "bearer ";

char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// The token of a header like "Bearer abc"; "" for another scheme. Its name has no case (RFC 9110 section 11.1).
Secret token_in(const Secret& authorization)
{
    const auto text = authorization.reveal();
    const auto is_same = [](char expected, char found) { return lower(found) == expected; };
    if (text.size() < scheme.size() || !std::equal(scheme.begin(), scheme.end(), text.begin(), is_same)) {
        return {};
    }
    const auto begin = text.find_first_not_of(' ', scheme.size());
    return begin == std::string_view::npos ? Secret() : Secret(std::string(text.substr(begin)));
}

Reply unauthorized()
{
    auto reply = error_reply(Error(ErrorKind::permission, "metrics need the token of control.listen_token: send it as "
                                                          "Authorization: Bearer TOKEN"));
    reply.status = 401;
    reply.challenge = "Bearer";
    return reply;
}

}  // namespace

asio::awaitable<Reply> ScrapeApi::answer(Call call) const
{
    std::exception_ptr thrown;
    try {
        co_return reply_to(call);
    } catch (...) {
        thrown = std::current_exception();
    }
    co_return error_reply(bug(thrown));
}

Reply ScrapeApi::reply_to(const Call& call) const
{
    const bool is_metrics = call.path == "/metrics" || call.path == "/v1/metrics";
    if (!is_metrics && call.path != "/healthz") {
        return error_reply(Error(ErrorKind::not_found, "only /metrics and /healthz are here; everything else is on the "
                                                       "control socket"));
    }
    if (call.method != "GET") {
        auto reply = error_reply(Error(ErrorKind::usage, fmt::format("{} accepts only GET", call.path)));
        reply.status = 405;
        reply.allow = "GET";
        return reply;
    }
    if (!is_metrics) {
        return text_reply("ok\n");
    }
    return is_allowed(call) ? metrics_reply(source_.status(), source_.alerts(), call.query) : unauthorized();
}

bool ScrapeApi::is_allowed(const Call& call) const
{
    return !token_ || token_->equals(token_in(call.authorization));
}

Error ScrapeApi::bug(const std::exception_ptr& thrown) const
{
    if (is_cancellation(thrown)) {
        std::rethrow_exception(thrown);
    }
    log_.error(fmt::format("bug: a request to control.listen failed: {}; please send a bug report with this log",
                           describe_exception(thrown)));
    return Error(ErrorKind::protocol,
                 fmt::format("bug in shelfd: please send a bug report with its log ({})", source_.journal));
}

}  // namespace shelfd::control
