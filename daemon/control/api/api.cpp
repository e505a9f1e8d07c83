#include "control/api/api.hpp"

#include "control/api/metrics.hpp"
#include "control/api/reply_json.hpp"
#include "runtime/async/task_group.hpp"

#include <fmt/format.h>

#include <array>

namespace shelfd::control {

struct Api::Route {
    std::string_view method;
    std::string_view path;
    Right right;
    asio::awaitable<Reply> (Api::*answer)(Call) const;
};

const Api::Route* Api::find_route(const Call& call)
{
    static constexpr std::array<Route, 25> routes = {{
        {"GET", "/healthz", Right::look, &Api::get_health},
        {"GET", "/v1/status", Right::look, &Api::get_status},
        {"GET", "/v1/metrics", Right::look, &Api::get_metrics},
        {"GET", "/metrics", Right::look, &Api::get_metrics},
        {"POST", "/v1/wait", Right::look, &Api::post_wait},
        {"POST", "/v1/sync", Right::act, &Api::post_sync},
        {"POST", "/v1/reload", Right::act, &Api::post_reload},
        {"POST", "/v1/auth/import", Right::act, &Api::post_import},
        {"POST", "/v1/auth/login", Right::act, &Api::post_login},
        {"POST", "/v1/auth/code", Right::act, &Api::post_code},
        {"POST", "/v1/auth/move-out", Right::act, &Api::post_move_out},
        {"POST", "/v1/auth/move-in", Right::act, &Api::post_move_in},
        {"POST", "/v1/auth/adopt", Right::act, &Api::post_adopt},
        {"POST", "/v1/auth/forget", Right::act, &Api::post_forget},
        {"POST", "/v1/auth/token", Right::act, &Api::post_token},
        {"POST", "/v1/snapshot", Right::act, &Api::post_snapshot},
        {"POST", "/v1/retype", Right::act, &Api::post_retype},
        {"POST", "/v1/held", Right::look, &Api::post_held},
        {"POST", "/v1/held/decide", Right::act, &Api::post_decide},
        {"POST", "/v1/get", Right::act, &Api::post_get},
        {"POST", "/v1/verify", Right::act, &Api::post_verify},
        {"POST", "/v1/probe", Right::act, &Api::post_probe},
        {"GET", "/v1/alerts", Right::look, &Api::get_alerts},
        {"POST", "/v1/hooks/test", Right::act, &Api::post_hook_test},
        {"POST", "/v1/silence", Right::act, &Api::post_silence},
    }};
    const Route* by_path = nullptr;
    for (const auto& route : routes) {
        if (route.path == call.path) {
            by_path = &route;
            if (route.method == call.method) {
                break;
            }
        }
    }
    return by_path;
}

Reply Api::refusal_of(uid_t uid) const
{
    return refusal(uid, Right::none);
}

Reply Api::refusal(uid_t uid, Right has) const
{
    const auto join = [&](const std::string& group) {
        return group.empty()
                   ? std::string("use root")
                   : fmt::format("use root, or join the group {0} (sudo adduser NAME {0}, then log in again)", group);
    };
    const auto text = has == Right::none
                          ? fmt::format("uid {} may not look at this daemon: {}", uid, join(groups_.readers))
                          : fmt::format("uid {} may look at this daemon but not act: {}", uid, join(groups_.admins));
    return error_reply(Error(ErrorKind::permission, text));
}

asio::awaitable<Reply> Api::answer(Call call) const
{
    const auto has = right_of(call.peer);
    if (has == Right::none) {
        log_.info("control: refused a user without rights", {{"uid", std::to_string(call.peer.uid)}});
        co_return refusal(call.peer.uid, has);
    }
    const auto* route = find_route(call);
    if (route == nullptr) {
        co_return error_reply(Error(ErrorKind::not_found, fmt::format("there is nothing at {}", call.path)));
    }
    if (route->method != call.method) {
        auto reply = error_reply(Error(ErrorKind::usage, fmt::format("{} takes {} only", call.path, route->method)));
        reply.status = 405;
        reply.allow = route->method;
        co_return reply;
    }
    if (has < route->right) {
        log_.info("control: refused an action", {{"path", call.path}, {"uid", std::to_string(call.peer.uid)}});
        co_return refusal(call.peer.uid, has);
    }
    auto answering = (this->*route->answer)(std::move(call));
    std::exception_ptr thrown;
    try {
        co_return co_await std::move(answering);
    } catch (...) {
        thrown = std::current_exception();
    }
    co_return error_reply(bug(thrown));
}

Error Api::bug(const std::exception_ptr& thrown) const
{
    if (is_cancellation(thrown)) {
        std::rethrow_exception(thrown);
    }
    const auto what = describe_exception(thrown);
    log_.error(
        fmt::format("bug: a request to the control socket failed: {}; please send a bug report with this log", what));
    return Error(
        ErrorKind::protocol,
        fmt::format("a bug in shelfd: {}; please send a bug report with its log (journalctl -u shelfd)", what));
}

void Api::audit(const Call& call, std::string_view action, std::string_view library) const
{
    const auto uid = std::to_string(call.peer.uid);
    const auto pid = std::to_string(call.peer.pid);
    const auto text = fmt::format("control: {}", action);
    if (library.empty()) {
        log_.info(text, {{"uid", uid}, {"pid", pid}});
    } else {
        log_.info(text, {{"library", std::string(library)}, {"uid", uid}, {"pid", pid}});
    }
}

asio::awaitable<Reply> Api::get_health(Call) const
{
    co_return text_reply("ok\n");
}

asio::awaitable<Reply> Api::get_status(Call) const
{
    co_return json_reply(to_json(operations_.status()));
}

asio::awaitable<Reply> Api::get_metrics(Call) const
{
    auto reply = text_reply(to_metrics(operations_.status()));
    reply.content_type = "text/plain; version=0.0.4; charset=utf-8";
    co_return reply;
}

}  // namespace shelfd::control
