#include "app/service_client.hpp"

#include "runtime/async/deadline.hpp"
#include "support/http_date.hpp"

namespace shelfd {
namespace {

// "http://service.test/api/…" → "/api/…"
std::string target_of(const std::string& url)
{
    return url.substr(url.find('/', url.find("//") + 2));
}

sim::Request to_service(const http::Request& request)
{
    sim::Request out;
    out.method = request.method == http::Method::post      ? "POST"
                 : request.method == http::Method::options ? "OPTIONS"
                                                           : "GET";
    out.target = target_of(request.url);
    out.headers.push_back({"Host", "service.test"});
    for (const auto& header : request.headers) {
        out.headers.push_back({header.name, header.value});
    }
    if (request.bearer) {
        out.headers.push_back({"Authorization", "Bearer " + std::string(request.bearer->reveal())});
    }
    out.body = request.body.reveal();
    return out;
}

http::Response to_client(sim::Reply reply, Instant now)
{
    http::Response out;
    out.status = reply.status;
    out.body = std::move(reply.body);
    out.headers.push_back({"Date", http_date(now)});
    out.headers.push_back({"Content-Type", reply.content_type});
    for (auto& header : reply.headers) {
        out.headers.push_back({std::move(header.name), std::move(header.value)});
    }
    return out;
}

Error broken(Delivery delivery)
{
    return Error(ErrorKind::network, "the connection was cut").with(delivery);
}

}  // namespace

asio::awaitable<Result<http::Response>> ServiceClient::send(http::Request request)
{
    strangers += request.url.starts_with(base_url + "/") ? 0U : 1U;
    const auto limit = request.timeouts.total;
    asked.push_back(request.url.substr(request.url.find('/', request.url.find("://") + 3)));
    before_sending(target_of(request.url));
    if (auto error = fails(target_of(request.url))) {
        co_await clock_.sleep_for(way_there());
        co_return std::move(*error);
    }
    auto delivery = deliver(request);
    auto outcome = co_await with_deadline(clock_, std::move(delivery), limit);
    if (!outcome) {
        co_return Error(ErrorKind::timeout, "no answer in time").with(Delivery::perhaps_sent);
    }
    co_return std::move(*outcome);
}

asio::awaitable<Result<http::Response>> ServiceClient::deliver(const http::Request& request)
{
    const auto arriving = to_service(request);
    follow_clock();
    const auto visit = service_.request_arrived(arriving);
    const auto fault = visit.fault.value_or(sim::Fault());
    co_await clock_.sleep_for(way_there() + fault.delay);
    if (fault.cut == sim::Cut::before_acting) {
        service_.request_done(visit, 0, 0);
        co_return broken(Delivery::perhaps_sent);
    }
    follow_clock();
    auto reply = fault.acts ? service_.answer(arriving) : sim::Reply();
    if (fault.replaces_answer()) {
        reply = fault.replacement(reply);
    }
    if (auto body = body_instead(arriving.target)) {
        reply.body = std::move(*body);
        reply.content_type = "text/html";
    }
    if (const auto status = refuses(arriving.target)) {
        reply.status = *status;
        reply.body = R"({"detail":"Refused."})";
        reply.content_type = "application/json";
    }
    answered();
    co_await clock_.sleep_for(way_back() + fault.delay_after);
    const bool whole = fault.cut == sim::Cut::none;
    service_.request_done(visit, whole ? reply.status : 0, reply.body.size());
    auto response = to_client(std::move(reply), clock_.now() + date_ahead);
    if (fault.cut == sim::Cut::after_acting || fault.cut == sim::Cut::in_header) {
        co_return broken(Delivery::perhaps_sent);
    }
    if (response.body.size() > request.max_body) {
        co_return Error(ErrorKind::protocol, "the answer is too large").with(Delivery::answered);
    }
    if (request.on_headers) {
        request.on_headers(response.status);
    }
    if (!whole) {
        response.body.resize(std::min(fault.cut_at, response.body.size()));
    }
    if (request.on_piece && !response.body.empty()) {
        request.on_piece(response.body);
    }
    if (!whole) {
        co_return broken(Delivery::answered);
    }
    co_return response;
}

void ServiceClient::follow_clock()
{
    auto world = service_.world();
    world->clock.advance(clock_.now() - world->clock.now());
}

}  // namespace shelfd
