#include "book_service.hpp"

#include "http/curl/curl_client.hpp"
#include "support/temp_directory.hpp"

#include <boost/asio/co_spawn.hpp>

#include <fmt/format.h>

namespace shelfd::oauth {
namespace {

using namespace std::chrono_literals;

std::string response_of(const sim::TokenPair& pair)
{
    const auto refresh = pair.refresh ? fmt::format(R"(, "refresh_token": "{}")", *pair.refresh) : "";
    return fmt::format(R"({{"access_token": "{}", "expires_in": {}, "token_type": "Bearer", "scope": "{}"{}}})",
                       pair.access, pair.expires_in.count(), pair.scope, refresh);
}

std::string field_of(const std::string& form, const std::string& name)
{
    const auto at = ("&" + form).find("&" + name + "=");
    const auto value = at == std::string::npos ? "" : form.substr(at + name.size() + 1);
    return value.substr(0, value.find('&'));
}

const Certificate& certificate()
{
    static const auto made = Certificate::for_name("IP:127.0.0.1");
    return made;
}

}  // namespace

BookService::BookService(KeeperRig& rig, sim::TokenPolicy policy) : book(1), rig_(rig)
{
    book.policy = policy;
    first_ = book.issue(0, "accounts library", now());
    rig_.client.handle([this](const http::SeenRequest& request) { return answer(request); });
}

std::string BookService::response() const
{
    return response_of(first_);
}

bool BookService::is_live() const
{
    const auto& newest = const_cast<sim::TokenBook&>(book).find_set(0, 0)->newest();
    return newest.access_row && newest.refresh_state == sim::RefreshState::live;
}

http::Answer BookService::answer(const http::SeenRequest& request)
{
    if (request.method == http::Method::get) {
        const auto bearer = book.look_up(request.bearer, now());
        if (bearer.state == sim::AccessState::live) {
            return http::Answer::ok(R"({"id":42})");
        }
        const auto why = bearer.state == sim::AccessState::expired ? "has expired." : "is invalid.";
        return http::Answer::of(
            401, "{}",
            {{"WWW-Authenticate",
              fmt::format(R"(Bearer realm="api",error="invalid_token",error_description="The access token {}")",
                          why)}});
    }
    if (request.url.find("/oauth/token/") == std::string::npos) {
        return http::Answer::of(403, "");  // introspection is not for everybody
    }
    ++posts;
    if (faults.empty()) {
        return exchange(request.body);
    }
    const auto& fault = *faults.front();
    faults.erase(faults.begin());
    const auto real = fault.acts ? exchange(request.body) : http::Answer::ok("");
    if (!fault.wire) {
        return *fault.answer;
    }
    return through_the_wire(fault.wire(real.response->body), fault.line);
}

http::Answer BookService::exchange(const std::string& form)
{
    const auto outcome = book.refresh(0, field_of(form, "refresh_token"), std::nullopt, now());
    if (const auto* pair = std::get_if<sim::TokenPair>(&outcome)) {
        return http::Answer::ok(response_of(*pair));
    }
    return http::Answer::of(400, R"({"error": "invalid_grant"})");
}

http::Answer through_the_wire(const Script& script, ExchangeFault::Line line)
{
    const TempDirectory files;
    asio::io_context loop;
    const auto is_tls = line == ExchangeFault::Line::tls;
    const auto server =
        is_tls ? std::make_unique<ScriptedServer>(loop, certificate()) : std::make_unique<ScriptedServer>(loop);
    server->play(script);
    auto client = std::move(*http::CurlClient::open(loop.get_executor(), "test"));
    TokenEndpoint endpoint;
    endpoint.base_url = server->origin();
    endpoint.client_id = "client";
    endpoint.timeouts.idle = 100ms;
    if (line == ExchangeFault::Line::no_tls) {
        endpoint.base_url.replace(0, 4, "https");
    }
    if (is_tls) {
        write_file(files / "trusted.pem", certificate().certificate_pem);
        endpoint.route.ca_file = files / "trusted.pem";
    }
    auto request = make_refresh_request(endpoint, Secret("any"), Secret("secret"));
    http::Answer seen;
    request.on_headers = [&seen](int status) {
        seen.response.emplace();
        seen.response->status = status;
    };
    request.on_piece = [&seen](std::string_view piece) { seen.response->body += piece; };
    auto exchange = [&]() -> asio::awaitable<void> {
        auto result = co_await client->send(std::move(request));
        if (result) {
            seen.response = std::move(*result);
        } else {
            seen.error = std::move(result).error();
        }
        loop.stop();
    };
    auto ended = [](const std::exception_ptr&) {};
    auto exchanging = exchange();
    asio::co_spawn(loop, std::move(exchanging), std::move(ended));
    loop.run_for(20s);
    return seen;
}

}  // namespace shelfd::oauth
