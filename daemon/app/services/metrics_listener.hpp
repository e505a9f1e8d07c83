// Keeps control.listen open as it is configured, without holding up anything else.
#pragma once

#include "app/services/daemon_services.hpp"
#include "config/model/model.hpp"
#include "control/api/scrape_api.hpp"
#include "control/server/scrape_server.hpp"
#include "runtime/async/async_event.hpp"
#include "runtime/async/worker_pool.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::app {

// Loop only. If the port is taken or the token cannot be read, nothing listens, `notices` says so, and another try
// follows. All references must outlive this object.
class MetricsListener {
public:
    static constexpr Duration between_tries = std::chrono::seconds(10);

    MetricsListener(const DaemonServices& services, control::ScrapeSource source, config::Control control)
        : services_(services), source_(std::move(source)), lane_(services.workers.secrets.lane()),
          control_(std::move(control))
    {
    }

    // Listens until it is cancelled.
    asio::awaitable<void> run();
    // The settings of another configuration; reads the token again. Returns a line if the settings differ.
    std::vector<std::string> replace(const config::Control& control);
    std::vector<control::Notice> notices() const;

private:
    asio::awaitable<void> serve(std::unique_ptr<control::ScrapeServer> server);
    asio::awaitable<Result<std::unique_ptr<control::ScrapeServer>>> open();
    asio::awaitable<void> until_replaced();
    void report(const Error& error);
    void report_none();

    const DaemonServices& services_;
    const control::ScrapeSource source_;
    Lane lane_;  // reads the token
    config::Control control_;
    std::uint64_t version_ = 0;  // of `control_`
    std::uint64_t served_ = 0;   // version that is served, or was tried
    AsyncEvent replaced_;
    std::string trouble_;
    std::optional<Instant> since_;
};

}  // namespace shelfd::app
