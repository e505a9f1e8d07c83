// A network that says what a test tells it to, and remembers what it was asked.
#pragma once

#include "http/client.hpp"
#include "runtime/async/clock.hpp"

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shelfd::http {

// A request as the other side would see it; secrets in the clear, for tests to compare.
struct SeenRequest {
    Method method = Method::get;
    std::string url;
    std::vector<Header> headers;
    std::string bearer;  // "" when there was none
    std::string basic;   // "name:secret", "" when there was none
    std::string body;
    Connection connection = Connection::shared;
    BootTime at;

    // "GET https://…" or "POST https://… BODY": what an expectation is looked up in.
    std::string line() const;
};

// What happens to one request: a complete answer, an error before or after a part of one, or nothing at all.
struct Answer {
    static Answer ok(std::string body);
    static Answer of(int status, std::string body, std::vector<Header> headers = {});
    static Answer failed(ErrorKind kind, Delivery delivery);
    // The status line and `part` of the body arrive, then the connection dies.
    static Answer cut(int status, std::string part);
    // Silence until the request's total time is over: an error of kind timeout, perhaps_sent.
    static Answer never();

    Answer after(Duration wait) &&;
    // The body arrives in pieces of that many bytes instead of one.
    Answer in_pieces_of(std::size_t bytes) &&;

    std::optional<Response> response;  // with an error too: what arrived of it
    std::optional<Error> error;
    bool silent = false;
    Duration wait{0};
    std::size_t piece_size = 0;
};

// Answers come from the queue first, in order, then from the handler. A request that does not contain what the head of
// the queue expects, or that nobody answers, is a failure of the test: it throws std::logic_error.
// Sleeps on the clock given; cancellable at every wait.
class ScriptedClient final : public Client {
public:
    using HandlerFunction = std::function<Answer(const SeenRequest&)>;

    explicit ScriptedClient(Clock& clock) : clock_(clock) {}

    // The next request's line() must contain `part`.
    ScriptedClient& expect(std::string part, Answer answer);
    void handle(HandlerFunction handler) { handler_ = std::move(handler); }

    asio::awaitable<Result<Response>> send(Request request) override;

    const std::vector<SeenRequest>& seen() const { return seen_; }
    std::size_t count(std::string_view part) const;
    std::size_t left() const { return script_.size(); }
    std::size_t in_flight() const { return in_flight_; }
    std::size_t max_in_flight() const { return max_in_flight_; }

private:
    struct Expectation {
        std::string part;
        Answer answer;
    };

    Answer answer_to(const SeenRequest& request);

    Clock& clock_;
    std::deque<Expectation> script_;
    HandlerFunction handler_;
    std::vector<SeenRequest> seen_;
    std::size_t in_flight_ = 0;
    std::size_t max_in_flight_ = 0;
};

}  // namespace shelfd::http
