#include "sim/server.hpp"

#include "sim/session.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <fmt/format.h>

#include <thread>

namespace shelfd::sim {

namespace {

asio::awaitable<void> accept_connections(std::shared_ptr<Hub> hub)
{
    while (!hub->stopping) {
        constexpr auto as_tuple = asio::as_tuple(asio::use_awaitable);
        auto [error, socket] = co_await hub->acceptor.async_accept(as_tuple);
        if (error) {
            continue;  // a client that left at once; or the hub stops, and the loop ends
        }
        boost::system::error_code ignored;
        socket.set_option(asio::ip::tcp::no_delay(true), ignored);
        auto executor = socket.get_executor();
        // The hub knows each connection and ends it; nothing waits for its outcome.
        auto ended = [](std::exception_ptr) {};
        asio::co_spawn(executor, serve_connection(std::move(socket), hub), std::move(ended));
    }
}

Result<void> use_certificate(Hub& hub, const Certificate& certificate)
{
    boost::system::error_code error;
    auto& context = hub.tls.emplace(asio::ssl::context::tls_server);
    context.use_certificate_chain(asio::buffer(certificate.chain), error);
    if (!error) {
        context.use_private_key(asio::buffer(certificate.key), asio::ssl::context::pem, error);
    }
    if (error) {
        return Error(ErrorKind::config, "certificate or key cannot be used: " + error.message());
    }
    return {};
}

Result<void> open_port(Hub& hub, const ServerOptions& options)
{
    boost::system::error_code error;
    const auto address = asio::ip::make_address(options.address, error);
    const asio::ip::tcp::endpoint endpoint(address, options.port);
    auto& acceptor = hub.acceptor;
    if (!error) {
        acceptor.open(endpoint.protocol(), error);
    }
    if (!error) {
        acceptor.set_option(asio::socket_base::reuse_address(true), error);
        acceptor.bind(endpoint, error);
    }
    if (!error) {
        acceptor.listen(asio::socket_base::max_listen_connections, error);
    }
    if (error) {
        const auto what = fmt::format("cannot listen on {}:{}: {}", options.address, options.port, error.message());
        return Error(ErrorKind::usage, what);
    }
    return {};
}

}  // namespace

struct Server::Running {
    std::unique_ptr<asio::io_context> own_loop;  // before the hub, whose sockets live on it
    asio::io_context* loop = nullptr;
    std::shared_ptr<Hub> hub;
    std::string url;
    std::thread thread;
};

Server::Server(std::unique_ptr<Running> running) : running_(std::move(running)) {}

Result<std::unique_ptr<Server>> Server::listen(std::unique_ptr<Running> running, ServerOptions options)
{
    running->hub = std::make_shared<Hub>(*running->loop, std::move(options.world));
    auto& hub = *running->hub;
    hub.idle_close = options.idle_close;
    if (options.tls) {
        if (auto used = use_certificate(hub, *options.tls); !used) {
            return std::move(used).error();
        }
    }
    if (auto opened = open_port(hub, options); !opened) {
        return std::move(opened).error();
    }
    const auto port = hub.acceptor.local_endpoint().port();
    running->url = fmt::format("{}://{}:{}", options.tls ? "https" : "http", options.address, port);
    auto ended = [](std::exception_ptr) {};
    asio::co_spawn(*running->loop, accept_connections(running->hub), std::move(ended));
    return std::unique_ptr<Server>(new Server(std::move(running)));
}

Result<std::unique_ptr<Server>> Server::start(asio::io_context& loop, ServerOptions options)
{
    auto running = std::make_unique<Running>();
    running->loop = &loop;
    return listen(std::move(running), std::move(options));
}

Result<std::unique_ptr<Server>> Server::start(ServerOptions options)
{
    auto running = std::make_unique<Running>();
    running->own_loop = std::make_unique<asio::io_context>(1);
    running->loop = running->own_loop.get();
    auto server = listen(std::move(running), std::move(options));
    if (server) {
        auto* loop = (*server)->running_->loop;
        (*server)->running_->thread = std::thread([loop] { loop->run(); });
    }
    return server;
}

Server::~Server()
{
    if (!running_->thread.joinable()) {
        running_->hub->stop();
        return;
    }
    asio::post(*running_->loop, [hub = running_->hub] { hub->stop(); });
    running_->thread.join();
}

const std::string& Server::url() const
{
    return running_->url;
}

std::uint16_t Server::port() const
{
    const auto colon = running_->url.rfind(':');
    return static_cast<std::uint16_t>(std::stoi(running_->url.substr(colon + 1)));
}

SetView Server::view_set(std::string_view library, std::size_t number)
{
    return running_->hub->service.view_set(library, number);
}

AuditReport Server::audit_report()
{
    return running_->hub->service.audit_report();
}

LockedWorld Server::world()
{
    return running_->hub->service.world();
}

}  // namespace shelfd::sim
