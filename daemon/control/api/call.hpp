// A request to the control socket and its answer, without the wire, and who answers.
#pragma once

#include "base/result.hpp"
#include "base/secret.hpp"
#include "control/api/line_queue.hpp"
#include "control/api/peer.hpp"
#include "control/model/sight.hpp"

#include <boost/asio/awaitable.hpp>

#include <exception>
#include <functional>
#include <string>
#include <utility>

namespace shelfd::control {

namespace asio = boost::asio;

struct Call {
    std::string method;
    std::string path;   // "/v1/status"
    std::string query;  // without '?'
    Secret body;        // may be a pasted token set
    Peer peer;
    Secret authorization = Secret();  // the header, "" = absent
    // Set by the API:
    Sight sight = Sight::of_libraries({});  // what the peer may look at
    std::string user = {};                  // the peer's name, if the request needs it
    bool by_admin = false;                  // the peer may act
    std::string verb = {};                  // what it asks for: "sync", "auth import"
};

struct Reply {
    int status = 200;
    std::string content_type = "application/json";
    std::string allow;      // methods, for a 405
    std::string challenge;  // for a 401
    Secret body;
    // If set, the answer is a stream of lines. Called once; lines given to the sink are sent as they come.
    std::function<asio::awaitable<void>(LineSink)> stream;
};

inline Reply stream_reply(std::function<asio::awaitable<void>(LineSink)> stream)
{
    Reply reply;
    reply.content_type = "application/x-ndjson";
    reply.stream = std::move(stream);
    return reply;
}

// The meaning of requests. Loop only. Must outlive all coroutines and streams that it returns.
class Answerer {
public:
    virtual ~Answerer() = default;

    virtual asio::awaitable<Reply> answer(Call call) const = 0;
    // The error that a client gets when a request or stream throws, which is a bug; logs it. Rethrows a cancellation.
    virtual Error bug(const std::exception_ptr& thrown) const = 0;
};

}  // namespace shelfd::control
