#include "app/services/metrics_listener.hpp"

#include "config/secrets/secret_source.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <fmt/format.h>

#include <utility>

namespace shelfd::app {

asio::awaitable<void> MetricsListener::run()
{
    for (;;) {
        served_ = version_;
        if (control_.listen.empty()) {
            report_none();
            co_await until_replaced();
            continue;
        }
        auto opening = open();
        auto opened = co_await std::move(opening);
        if (opened) {
            report_none();
            services_.log.info(fmt::format("metrics can be read on {}", control_.listen));
            auto serving = serve(std::move(*opened));
            co_await std::move(serving);
        } else {
            report(opened.error());
            auto waiting = services_.clock.wait_until(services_.clock.boot_now() + between_tries, replaced_);
            co_await std::move(waiting);
        }
    }
}

asio::awaitable<void> MetricsListener::serve(std::unique_ptr<control::ScrapeServer> server)
{
    using namespace asio::experimental::awaitable_operators;
    auto running = server->run();
    auto waiting = until_replaced();
    co_await (std::move(running) || std::move(waiting));
}

asio::awaitable<void> MetricsListener::until_replaced()
{
    while (served_ == version_) {
        co_await replaced_.wait();
    }
}

asio::awaitable<Result<std::unique_ptr<control::ScrapeServer>>> MetricsListener::open()
{
    control::ScrapeSettings settings{control_.listen, std::nullopt};
    if (const auto reference = control_.listen_token) {
        auto read = [this, reference] { return config::read_secret(*reference, services_.host.credentials_directory); };
        auto reading = lane_.run(read);
        auto token = co_await std::move(reading);
        if (!token) {
            co_return std::move(token.error()).in("the token of control.listen");
        }
        settings.token = std::move(*token);
    }
    co_return control::ScrapeServer::open(services_.executor, services_.clock, services_.log, std::move(settings),
                                          source_);
}

std::vector<std::string> MetricsListener::replace(const config::Control& control)
{
    const bool differs = control.listen != control_.listen || control.listen_token != control_.listen_token;
    std::vector<std::string> changes;
    if (control.listen != control_.listen) {
        changes.push_back(control.listen.empty() ? fmt::format("metrics are no longer on {}", control_.listen)
                                                 : fmt::format("metrics are on {}", control.listen));
    } else if (differs) {
        changes.push_back("control.listen_token changed");
    }
    // The file of the token may have changed as well.
    if (differs || control.listen_token) {
        control_ = control;
        ++version_;
        replaced_.notify_all();
    }
    return changes;
}

void MetricsListener::report(const Error& error)
{
    if (trouble_ != error.text()) {
        trouble_ = error.text();
        since_ = services_.clock.now();
        services_.log.warning("metrics cannot be read: " + trouble_);
        services_.changed();
    }
}

void MetricsListener::report_none()
{
    if (!trouble_.empty()) {
        trouble_.clear();
        since_.reset();
        services_.changed();
    }
}

std::vector<control::Notice> MetricsListener::notices() const
{
    if (trouble_.empty()) {
        return {};
    }
    const auto again = std::chrono::duration_cast<std::chrono::seconds>(between_tries).count();
    return {{fmt::format("metrics cannot be read: {}", trouble_),
             fmt::format("correct that, or change control.listen, then: shelfctl reload; the daemon tries again every "
                         "{} seconds",
                         again),
             since_}};
}

}  // namespace shelfd::app
