// A real client, a scripted server and one loop in real time, for tests of the network's lies.
#pragma once

#include "http/curl/curl_client.hpp"
#include "support/catch.hpp"
#include "support/scripted_server.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace shelfd::http {

struct Fixture {
    asio::io_context loop;
    std::unique_ptr<CurlClient> client = open_client(loop);

    static std::unique_ptr<CurlClient> open_client(asio::io_context& loop)
    {
        auto opened = CurlClient::open(loop.get_executor(), "shelfd-test/1");
        REQUIRE(opened.has_value());
        return std::move(*opened);
    }

    // Runs the loop until `work` has ended; half a minute without its end is a failure of the test.
    template <typename T>
    T run(asio::awaitable<T> work)
    {
        std::optional<T> value;
        std::exception_ptr failure;
        auto store = [](asio::awaitable<T> inner, std::optional<T>& into) -> asio::awaitable<void> {
            into.emplace(co_await std::move(inner));
        };
        auto ended = [this, &failure](std::exception_ptr error) {
            failure = std::move(error);
            loop.stop();
        };
        asio::co_spawn(loop, store(std::move(work), value), std::move(ended));
        loop.restart();
        loop.run_for(std::chrono::seconds(30));
        if (failure) {
            std::rethrow_exception(failure);
        }
        REQUIRE(value.has_value());
        return std::move(*value);
    }

    Result<Response> send(Request request) { return run(client->send(std::move(request))); }

    // Lets the server notice what the client did, by events: until `happened` is true.
    template <typename Condition>
    void run_until(Condition happened)
    {
        loop.restart();
        while (!happened()) {
            REQUIRE(loop.run_one_for(std::chrono::seconds(30)) == 1);
        }
    }
};

inline Request get(std::string url)
{
    Request request;
    request.url = std::move(url);
    return request;
}

inline Request post(std::string url, std::string body)
{
    Request request;
    request.method = Method::post;
    request.url = std::move(url);
    request.body = Secret(std::move(body));
    request.connection = Connection::one_shot;
    return request;
}

}  // namespace shelfd::http
