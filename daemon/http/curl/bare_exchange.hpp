// A request and its answer as bytes on a connection that libcurl has opened.
#pragma once

#include "base/secret.hpp"
#include "http/answer/answer_reader.hpp"

#include <cstddef>
#include <string>
#include <utility>

namespace shelfd::http {

// libcurl's own reader of HTTP throws away what stands behind a fault of the headers, and the body of a 204. Here every
// byte that arrives reaches the answer. Loop only.
class BareExchange {
public:
    enum class State {
        open,
        over,    // nothing more is to be expected, or taken
        closed,  // by the server, in order
        broken,  // by an error of the connection
    };

    // `easy` has connected with CURLOPT_CONNECT_ONLY and is in its multi handle; it and `answer` outlive this object.
    BareExchange(void* easy, Secret request, IncomingAnswer& answer);
    BareExchange(const BareExchange&) = delete;
    BareExchange& operator=(const BareExchange&) = delete;
    ~BareExchange();

    // Sends and receives as much as is possible without waiting. Passes on what `answer` throws.
    State advance();
    // True if a byte was sent or received since the last call.
    bool take_activity() { return std::exchange(active_, false); }
    bool has_unsent() const { return unsent_ > 0; }
    // True if bytes arrived that begin no HTTP answer.
    bool is_foreign() const { return reader_.is_foreign(); }

private:
    void send();
    State receive();

    void* easy_;
    Secret request_;
    std::size_t unsent_;
    AnswerReader reader_;
    std::string buffer_;
    bool active_ = false;
};

}  // namespace shelfd::http
