#include "control/server.hpp"

#include "control/api.hpp"
#include "control/connection.hpp"
#include "control/listening_socket.hpp"
#include "control/peer.hpp"
#include "runtime/task_group.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <list>
#include <set>

#include <unistd.h>

namespace shelfd::control {
namespace {

using Local = asio::local::stream_protocol;

// One user cannot keep the others out by opening connections, and nobody keeps out root and the daemon's own uid.
constexpr std::size_t most_connections = 256;
constexpr std::size_t most_with_our_own = 320;
// Of one user: those that may hold a stream, and all, the others for short answers. So `status` works while a script
// waits for more libraries than it may, and that script is told why.
constexpr std::size_t most_of_one_user = 32;
constexpr std::size_t most_with_short = 64;

std::string describe_missing(const std::vector<std::string>& groups, uid_t own)
{
    std::string cure;
    for (const auto& group : groups) {
        cure += fmt::format("{}sudo addgroup --system {}", cure.empty() ? "" : "; ", group);
    }
    const auto users = own == 0 ? std::string("root") : fmt::format("root and uid {}", own);
    return fmt::format("there is no group {}, so nobody has rights by that, as {} has without: {}, then restart",
                       fmt::join(groups, " and no group "), users, cure);
}

}  // namespace

struct Server::Parts {
    Parts(asio::any_io_executor executor, Clock& clock_, Log log_, ListeningSocket listening_,
          const ServerSettings& set, const Rights& rights, Operations operations)
        : clock(clock_), log(log_), listening(std::move(listening_)), acceptor(executor),
          api(std::move(operations), clock_, log_, rights, {set.readers, set.admins}), own_uid(rights.own_uid),
          tasks(executor)
    {
    }

    std::size_t open_of(uid_t uid) const;
    void refuse(uid_t uid, const std::string& text);
    asio::awaitable<void> accept_all();
    asio::awaitable<void> serve(std::list<Connection>::iterator connection);
    void admit(Local::socket socket);

    Clock& clock;
    Log log;
    std::optional<ListeningSocket> listening;
    Local::acceptor acceptor;
    Api api;
    uid_t own_uid;
    std::list<Connection> connections;
    std::set<uid_t> crowded;  // users that were told so, and the log with them
    std::vector<std::string> warnings;
    TaskGroup tasks;  // last: its coroutines use the rest
};

Result<std::unique_ptr<Server>> Server::open(asio::any_io_executor executor, Clock& clock, Log log,
                                             ServerSettings settings, Operations operations)
{
    Rights rights{::geteuid(), std::nullopt, std::nullopt};
    std::vector<std::string> missing;
    for (auto [name, group] :
         {std::pair(&settings.readers, &rights.readers), std::pair(&settings.admins, &rights.admins)}) {
        if (name->empty()) {
            continue;
        }
        auto found = find_group(*name);
        if (!found) {
            return std::move(found).error();
        }
        *group = *found;
        if (!*found) {
            missing.push_back(*name);
        }
    }
    auto listening = ListeningSocket::open(settings.path);
    if (!listening) {
        return std::move(listening).error();
    }
    auto parts = std::make_unique<Parts>(std::move(executor), clock, std::move(log), std::move(*listening), settings,
                                         rights, std::move(operations));
    if (!missing.empty()) {
        parts->warnings.push_back(describe_missing(missing, rights.own_uid));
    }
    boost::system::error_code failed;
    parts->acceptor.assign(Local(), parts->listening->duplicate(), failed);
    if (failed) {
        return Error(ErrorKind::storage, "cannot listen on the control socket: " + failed.message());
    }
    return std::unique_ptr<Server>(new Server(std::move(parts)));
}

Server::Server(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

Server::~Server() = default;

const std::vector<std::string>& Server::warnings() const
{
    return parts_->warnings;
}

void Server::Parts::admit(Local::socket socket)
{
    auto peer = read_peer(socket.native_handle());
    if (!peer) {
        log.warning("control: " + peer.error().text());
        return;
    }
    const auto uid = peer->uid;
    const auto of_this_user = open_of(uid);
    const bool is_ours = uid == 0 || uid == own_uid;
    if (connections.size() >= (is_ours ? most_with_our_own : most_connections)) {
        refuse(uid, fmt::format("{} connections are open", connections.size()));
        return;  // closes it
    }
    if (of_this_user >= most_with_short) {
        refuse(uid, fmt::format("{} connections of uid {} are open", of_this_user, uid));
        return;
    }
    std::string why;
    if (of_this_user >= most_of_one_user) {
        why =
            fmt::format("{} connections of uid {} to the daemon are open, more than one user may hold with sync, wait "
                        "or verify: try again when one has ended",
                        of_this_user, uid);
        refuse(uid, why);
    }
    const auto connection =
        connections.emplace(connections.end(), std::move(socket), std::move(*peer), api, clock, std::move(why));
    tasks.spawn(serve(connection));
}

std::size_t Server::Parts::open_of(uid_t uid) const
{
    const auto count =
        std::count_if(connections.begin(), connections.end(), [uid](const auto& one) { return one.peer().uid == uid; });
    return static_cast<std::size_t>(count);
}

// Once for each crowd: what causes it would fill the log, too.
void Server::Parts::refuse(uid_t uid, const std::string& text)
{
    if (crowded.insert(uid).second) {
        log.warning("control: refused: " + text, {{"uid", std::to_string(uid)}});
    }
}

asio::awaitable<void> Server::Parts::serve(std::list<Connection>::iterator connection)
{
    struct Leave {
        Parts& parts;
        std::list<Connection>::iterator one;
        ~Leave()
        {
            const auto uid = one->peer().uid;
            parts.connections.erase(one);
            if (parts.open_of(uid) < most_of_one_user) {
                parts.crowded.erase(uid);
            }
        }
    };
    const Leave leave{*this, connection};
    co_await connection->serve();
}

// Ends when it is cancelled, without a throw: what is cancelled is the waiting, and there is work to do afterwards.
asio::awaitable<void> Server::Parts::accept_all()
{
    co_await asio::this_coro::throw_if_cancelled(false);
    const auto state = co_await asio::this_coro::cancellation_state;
    while (state.cancelled() == asio::cancellation_type::none) {
        auto [failed, socket] = co_await acceptor.async_accept(asio::as_tuple(asio::use_awaitable));
        if (!failed) {
            admit(std::move(socket));
        } else if (failed != asio::error::operation_aborted && failed != asio::error::connection_aborted) {
            log.warning("control: cannot accept a connection: " + failed.message());
            auto pause = clock.sleep_for(std::chrono::seconds(1));  // out of descriptors: they come back
            co_await std::move(pause);
        }
    }
}

asio::awaitable<void> Server::run()
{
    auto accepting = parts_->accept_all();
    try {
        co_await std::move(accepting);
    } catch (const boost::system::system_error& error) {
        if (error.code() != asio::error::operation_aborted) {
            throw;
        }
    }
    co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
    parts_->listening.reset();
    boost::system::error_code ignored;
    parts_->acceptor.close(ignored);
    for (auto& connection : parts_->connections) {
        connection.close();
    }
    parts_->tasks.cancel();
    auto ending = parts_->tasks.join();
    co_await std::move(ending);
}

}  // namespace shelfd::control
