#include "control/server/scrape_server.hpp"

#include "base/scope_exit.hpp"
#include "base/words/digits.hpp"
#include "control/server/accept_loop.hpp"
#include "control/server/connection.hpp"
#include "runtime/async/task_group.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/this_coro.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <list>

namespace shelfd::control {
namespace {

using Tcp = asio::ip::tcp;

constexpr WireLimits limits{.header = std::chrono::seconds(10), .body = 0};

Result<Tcp::endpoint> endpoint_of(const std::string& text)
{
    const auto colon = text.rfind(':');
    const auto port = colon == std::string::npos ? std::nullopt : number_in<std::uint16_t>(text.substr(colon + 1));
    auto host = text.substr(0, colon);
    if (host.starts_with('[') && host.ends_with(']')) {
        host = host.substr(1, host.size() - 2);
    }
    boost::system::error_code failed;
    const auto address = asio::ip::make_address(host, failed);
    if (failed || !port) {
        return Error(ErrorKind::config,
                     fmt::format("control.listen must be an address and a port, like 127.0.0.1:9464, not {}", text));
    }
    return Tcp::endpoint(address, *port);
}

Error cannot_listen(const ScrapeSettings& settings, const boost::system::error_code& failed)
{
    if (failed == asio::error::address_in_use) {
        const auto port = settings.address.substr(settings.address.rfind(':') + 1);
        return Error(ErrorKind::busy, fmt::format("cannot listen on {}: another program has that port; which one: sudo "
                                                  "ss -ltnp 'sport = :{}'",
                                                  settings.address, port));
    }
    const auto kind = failed == asio::error::access_denied                          ? ErrorKind::permission
                      : failed == boost::system::errc::address_not_available        ? ErrorKind::config
                      : failed == boost::system::errc::address_family_not_supported ? ErrorKind::config
                                                                                    : ErrorKind::storage;
    return Error(kind, fmt::format("cannot listen on {}: {}", settings.address, failed.message()));
}

// It identifies no user.
Peer nobody()
{
    Peer peer;
    peer.uid = static_cast<uid_t>(-1);
    return peer;
}

}  // namespace

struct ScrapeServer::Scrapers {
    Scrapers(asio::any_io_executor executor, Clock& clock_, Log log_, std::optional<Secret> token, ScrapeSource source)
        : clock(clock_), log(log_), acceptor(executor), api(std::move(source), log_, std::move(token)),
          tasks(executor, [this](const std::string&, const std::exception_ptr& error) { (void)api.bug(error); })
    {
    }

    boost::system::error_code listen(const Tcp::endpoint& endpoint);
    void admit(Tcp::socket socket);
    asio::awaitable<void> serve(std::list<Connection>::iterator connection);

    Clock& clock;
    Log log;
    Tcp::acceptor acceptor;
    ScrapeApi api;
    std::list<Connection> connections;  // oldest first
    TaskGroup tasks;                    // last: its coroutines use the other members
};

Result<std::unique_ptr<ScrapeServer>> ScrapeServer::open(asio::any_io_executor executor, Clock& clock, Log log,
                                                         ScrapeSettings settings, ScrapeSource source)
{
    SHELFD_TRY_ASSIGN(endpoint, endpoint_of(settings.address));
    auto scrapers = std::make_unique<Scrapers>(std::move(executor), clock, std::move(log), std::move(settings.token),
                                               std::move(source));
    if (const auto failed = scrapers->listen(endpoint); failed) {
        return cannot_listen(settings, failed);
    }
    return std::unique_ptr<ScrapeServer>(new ScrapeServer(std::move(scrapers)));
}

ScrapeServer::ScrapeServer(std::unique_ptr<Scrapers> scrapers) : scrapers_(std::move(scrapers)) {}

ScrapeServer::~ScrapeServer() = default;

boost::system::error_code ScrapeServer::Scrapers::listen(const Tcp::endpoint& endpoint)
{
    boost::system::error_code failed;
    acceptor.open(endpoint.protocol(), failed);
    if (!failed) {
        // Connections of an earlier daemon that linger would keep the port for a minute.
        acceptor.set_option(Tcp::acceptor::reuse_address(true), failed);
    }
    if (!failed) {
        acceptor.bind(endpoint, failed);
    }
    if (!failed) {
        acceptor.listen(asio::socket_base::max_listen_connections, failed);
    }
    return failed;
}

// A scraper sends its request at once; who keeps a connection without one, in good faith or not, can connect again.
void ScrapeServer::Scrapers::admit(Tcp::socket socket)
{
    if (connections.size() >= max_connections) {
        const auto idle = std::find_if(connections.begin(), connections.end(),
                                       [](const auto& one) { return one.awaits_request() && !one.is_closed(); });
        if (idle == connections.end()) {
            return;  // the destructor closes it
        }
        idle->close();
    }
    const auto connection =
        connections.emplace(connections.end(), StreamSocket(std::move(socket)), nobody(), api, clock, "", limits);
    tasks.spawn(serve(connection));
}

asio::awaitable<void> ScrapeServer::Scrapers::serve(std::list<Connection>::iterator connection)
{
    const ScopeExit leave([this, connection] { connections.erase(connection); });
    co_await connection->serve();
}

std::uint16_t ScrapeServer::port() const
{
    boost::system::error_code ignored;
    return scrapers_->acceptor.local_endpoint(ignored).port();
}

asio::awaitable<void> ScrapeServer::run()
{
    auto admit = [this](Tcp::socket socket) { scrapers_->admit(std::move(socket)); };
    auto accepting =
        accept_all(scrapers_->acceptor, scrapers_->clock, scrapers_->log, "control.listen", std::move(admit));
    try {
        co_await std::move(accepting);
    } catch (const boost::system::system_error& error) {
        if (error.code() != asio::error::operation_aborted) {
            throw;
        }
    }
    co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
    boost::system::error_code ignored;
    scrapers_->acceptor.close(ignored);
    for (auto& connection : scrapers_->connections) {
        connection.close();
    }
    scrapers_->tasks.cancel();
    auto ending = scrapers_->tasks.join();
    co_await std::move(ending);
}

}  // namespace shelfd::control
