// control.listen: metrics over TCP, for scrapers that cannot use the control socket.
#pragma once

#include "base/result.hpp"
#include "base/secret.hpp"
#include "control/api/scrape_api.hpp"
#include "runtime/async/clock.hpp"
#include "runtime/log/log.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace shelfd::control {

struct ScrapeSettings {
    std::string address;          // "127.0.0.1:9464", "[::1]:9464"; port 0 = any free one
    std::optional<Secret> token;  // empty: whoever can connect may read
};

// Answers what ScrapeApi answers. Connections are few, and limited in time and size: one that has not sent its request
// gives its place to a new one.
// Loop only; `clock` must outlive the server. Order: open, run, end of run, destruction.
class ScrapeServer {
public:
    static constexpr std::size_t max_connections = 32;

    // Errors: busy (another program listens there), permission, config (no such address here), storage.
    static Result<std::unique_ptr<ScrapeServer>> open(asio::any_io_executor executor, Clock& clock, Log log,
                                                      ScrapeSettings settings, ScrapeSource source);
    ~ScrapeServer();

    std::uint16_t port() const;
    // Answers until it is cancelled; then ends all connections and returns.
    asio::awaitable<void> run();

private:
    struct Scrapers;
    explicit ScrapeServer(std::unique_ptr<Scrapers> scrapers);
    std::unique_ptr<Scrapers> scrapers_;
};

}  // namespace shelfd::control
