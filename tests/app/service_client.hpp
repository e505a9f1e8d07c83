// The simulated service without a network between: requests are answered in simulated time, faults included.
#pragma once

#include "http/client.hpp"
#include "runtime/async/clock.hpp"
#include "sim/service.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace shelfd {

// Loop only. The service's clock follows the test's.
class ServiceClient final : public http::Client {
public:
    ServiceClient(Clock& clock, sim::Service& service) : clock_(clock), service_(service) {}

    // Called after every answer of the service, before it travels: what it knows then is a state it had.
    std::function<void()> answered = [] {};

    // Called before a request is sent. What it throws is a bug in whatever sends.
    std::function<void(const std::string& target)> before_sending = [](const std::string&) {};

    // How long a request travels, and its answer. Even the fastest service takes a moment; it keeps simulated time
    // moving.
    std::function<Duration()> way_there = [] { return std::chrono::milliseconds(20); };
    std::function<Duration()> way_back = [] { return Duration(0); };

    // How far the Date of its answers is ahead of the time: a backend whose clock is wrong.
    Duration date_ahead{};

    // What is answered to that target instead, with 200; nothing: the service's own answer.
    std::function<std::optional<std::string>(const std::string& target)> body_instead = [](const std::string&) {
        return std::nullopt;
    };

    // The status with which that target is refused; nothing: the service answers.
    std::function<std::optional<int>(const std::string& target)> refuses = [](const std::string&) {
        return std::nullopt;
    };

    // The error with which a request to that target ends before anything of it is sent; nothing: it is sent.
    std::function<std::optional<Error>(const std::string& target)> fails = [](const std::string&) {
        return std::nullopt;
    };

    // Every request in the order sent, without the origin.
    std::vector<std::string> asked;

    asio::awaitable<Result<http::Response>> send(http::Request request) override;

    std::string base_url = "http://service.test";
    std::uint64_t strangers = 0;  // requests that were meant for another host

private:
    asio::awaitable<Result<http::Response>> deliver(const http::Request& request);
    void follow_clock();

    Clock& clock_;
    sim::Service& service_;
};

}  // namespace shelfd
