// What each request to the control socket means: paths, rights, bodies and answers, without the wire.
#pragma once

#include "control/api/line_queue.hpp"
#include "control/api/peer.hpp"
#include "control/model/operations.hpp"
#include "runtime/async/clock.hpp"
#include "runtime/log/log.hpp"

#include <exception>
#include <functional>
#include <string>
#include <string_view>

namespace shelfd::control {

struct Call {
    std::string method;
    std::string path;   // "/v1/status"
    std::string query;  // without '?'
    Secret body;        // may be a pasted token set
    Peer peer;
};

struct Reply {
    int status = 200;
    std::string content_type = "application/json";
    std::string allow;  // methods, for 405
    Secret body;
    // Set: the answer is a stream of lines. Runs once; the lines it gives to the sink are sent as they come.
    std::function<asio::awaitable<void>(LineSink)> stream;
};

Reply error_reply(const Error& error);

struct GroupNames {
    std::string readers;
    std::string admins;
};

// Loop only. `clock` outlives it, and it outlives every coroutine and stream it hands out.
class Api {
public:
    Api(Operations operations, Clock& clock, Log log, Rights rights, GroupNames groups)
        : operations_(std::move(operations)), clock_(clock), log_(std::move(log)), rights_(rights),
          groups_(std::move(groups))
    {
    }

    asio::awaitable<Reply> answer(Call call) const;
    Right right_of(const Peer& peer) const { return rights_.of(peer); }
    // What who asked is told when a request or a stream throws: that is a bug, and nothing else fails with it. Throws
    // a cancellation on.
    Error bug(const std::exception_ptr& thrown) const;
    // For a user without rights, whatever is asked for.
    Reply refusal_of(uid_t uid) const;

private:
    struct Route;
    static const Route* find_route(const Call& call);
    Reply refusal(uid_t uid, Right has) const;
    void audit(const Call& call, std::string_view action, std::string_view library) const;

    asio::awaitable<Reply> get_health(Call call) const;
    asio::awaitable<Reply> get_status(Call call) const;
    asio::awaitable<Reply> get_metrics(Call call) const;
    asio::awaitable<Reply> post_sync(Call call) const;
    asio::awaitable<Reply> post_wait(Call call) const;
    asio::awaitable<Reply> post_reload(Call call) const;
    asio::awaitable<Reply> post_import(Call call) const;
    asio::awaitable<Reply> post_login(Call call) const;
    asio::awaitable<Reply> post_code(Call call) const;
    asio::awaitable<Reply> post_move_out(Call call) const;
    asio::awaitable<Reply> post_move_in(Call call) const;
    asio::awaitable<Reply> post_adopt(Call call) const;
    asio::awaitable<Reply> post_forget(Call call) const;
    asio::awaitable<Reply> post_token(Call call) const;
    asio::awaitable<Reply> post_snapshot(Call call) const;
    asio::awaitable<Reply> post_retype(Call call) const;
    asio::awaitable<Reply> post_held(Call call) const;
    asio::awaitable<Reply> post_decide(Call call) const;
    asio::awaitable<Reply> post_get(Call call) const;
    asio::awaitable<Reply> post_verify(Call call) const;
    asio::awaitable<Reply> post_probe(Call call) const;
    asio::awaitable<Reply> get_alerts(Call call) const;
    asio::awaitable<Reply> post_hook_test(Call call) const;
    asio::awaitable<Reply> post_silence(Call call) const;

    asio::awaitable<void> stream_sync(SyncRequest request, LineSink sink) const;
    asio::awaitable<void> stream_verify(VerifyRequest request, LineSink sink) const;
    asio::awaitable<void> stream_probe(ProbeRequest request, LineSink sink) const;

    Operations operations_;
    Clock& clock_;
    Log log_;
    Rights rights_;
    GroupNames groups_;
};

}  // namespace shelfd::control
