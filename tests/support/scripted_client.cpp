#include "support/scripted_client.hpp"

#include <algorithm>
#include <stdexcept>

namespace shelfd::http {
namespace {

// Counts a request for as long as its coroutine lives, cancelled or not.
class InFlight {
public:
    explicit InFlight(std::size_t& count) : count_(count) { ++count_; }
    InFlight(const InFlight&) = delete;
    InFlight& operator=(const InFlight&) = delete;
    ~InFlight() { --count_; }

private:
    std::size_t& count_;
};

SeenRequest look_at(const Request& request, BootTime at)
{
    SeenRequest seen;
    seen.method = request.method;
    seen.url = request.url;
    seen.headers = request.headers;
    for (const auto& [name, value] : request.secret_headers) {
        seen.headers.push_back({name, std::string(value.reveal())});
    }
    seen.body = std::string(request.body.reveal());
    seen.connection = request.connection;
    seen.at = at;
    if (request.bearer) {
        seen.bearer = std::string(request.bearer->reveal());
    }
    if (request.basic) {
        seen.basic = request.basic->first + ":" + std::string(request.basic->second.reveal());
    }
    return seen;
}

void deliver(const Request& request, const Response& response, std::size_t piece_size)
{
    if (request.on_headers) {
        request.on_headers(response.status);
    }
    std::string_view rest = response.body;
    while (request.on_piece && !rest.empty()) {
        const auto size = piece_size == 0 ? rest.size() : std::min(piece_size, rest.size());
        request.on_piece(rest.substr(0, size));
        rest.remove_prefix(size);
    }
}

}  // namespace

std::string SeenRequest::line() const
{
    return method == Method::get ? "GET " + url : "POST " + url + " " + body;
}

Answer Answer::ok(std::string body)
{
    return of(200, std::move(body));
}

Answer Answer::of(int status, std::string body, std::vector<Header> headers)
{
    const auto has_type =
        std::any_of(headers.begin(), headers.end(), [](const Header& header) { return header.name == "Content-Type"; });
    if (!has_type) {
        headers.push_back({"Content-Type", "application/json"});
    }
    Response response;
    response.status = status;
    response.headers = std::move(headers);
    response.body = std::move(body);
    Answer answer;
    answer.response = std::move(response);
    return answer;
}

Answer Answer::failed(ErrorKind kind, Delivery delivery)
{
    Answer answer;
    answer.error = Error(kind, "scripted failure").with(delivery);
    return answer;
}

Answer Answer::cut(int status, std::string part)
{
    auto answer = of(status, std::move(part));
    answer.error = Error(ErrorKind::network, "scripted: the answer was cut").with(Delivery::answered);
    return answer;
}

Answer Answer::never()
{
    Answer answer;
    answer.silent = true;
    return answer;
}

Answer Answer::after(Duration pause) &&
{
    wait = pause;
    return std::move(*this);
}

Answer Answer::in_pieces_of(std::size_t bytes) &&
{
    piece_size = bytes;
    return std::move(*this);
}

ScriptedClient& ScriptedClient::expect(std::string part, Answer answer)
{
    script_.push_back({std::move(part), std::move(answer)});
    return *this;
}

Answer ScriptedClient::answer_to(const SeenRequest& request)
{
    if (!script_.empty()) {
        auto next = std::move(script_.front());
        script_.pop_front();
        if (request.line().find(next.part) == std::string::npos) {
            throw std::logic_error("scripted client: expected '" + next.part + "', got '" + request.line() + "'");
        }
        return std::move(next.answer);
    }
    if (!handler_) {
        throw std::logic_error("scripted client: nobody expects '" + request.line() + "'");
    }
    return handler_(request);
}

asio::awaitable<Result<Response>> ScriptedClient::send(Request request)
{
    seen_.push_back(look_at(request, clock_.boot_now()));
    const InFlight counted(in_flight_);
    max_in_flight_ = std::max(max_in_flight_, in_flight_);
    auto answer = answer_to(seen_.back());
    const auto silence = answer.silent || answer.wait > request.timeouts.total;
    if (silence || answer.wait > Duration(0)) {
        co_await clock_.sleep_for(silence ? request.timeouts.total : answer.wait);
    }
    if (silence) {
        co_return Error(ErrorKind::timeout, "scripted: no answer").with(Delivery::perhaps_sent);
    }
    if (answer.response) {
        deliver(request, *answer.response, answer.piece_size);
    }
    if (answer.error) {
        co_return std::move(*answer.error);
    }
    co_return std::move(*answer.response);
}

std::size_t ScriptedClient::count(std::string_view part) const
{
    const auto matches = [part](const SeenRequest& request) { return request.line().find(part) != std::string::npos; };
    return static_cast<std::size_t>(std::count_if(seen_.begin(), seen_.end(), matches));
}

}  // namespace shelfd::http
