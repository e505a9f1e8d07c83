#include "control/server/server.hpp"

#include "base/scope_exit.hpp"
#include "base/words/shell_word.hpp"
#include "control/api/api.hpp"
#include "control/api/peer.hpp"
#include "control/api/reply_json.hpp"
#include "control/server/admission.hpp"
#include "control/server/connection.hpp"
#include "control/server/listening_socket.hpp"
#include "runtime/async/task_group.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <list>
#include <set>

#include <unistd.h>

namespace shelfd::control {
namespace {

using Local = asio::local::stream_protocol;

// Connections that get an explanation for a refusal, each for a moment. With more, the oldest are closed.
constexpr std::size_t max_turned_away = 32;

std::string always_allowed(uid_t own)
{
    return own == 0 ? std::string("root") : fmt::format("root and uid {}", own);
}

std::string describe_missing(const std::vector<std::string>& groups, uid_t own)
{
    std::string cure;
    for (const auto& group : groups) {
        cure += fmt::format("{}sudo addgroup --system {}", cure.empty() ? "" : "; ", shell_word(group));
    }
    return fmt::format("there is no group {}, so nobody but {} has its rights: {}, or, without root, name a group of "
                       "yours in control.readers and control.admins (\"\" = none); then restart",
                       fmt::join(groups, " and no group "), always_allowed(own), cure);
}

std::string describe_unanswered(const Error& error, const std::string& group, uid_t own)
{
    return fmt::format("{}, so nobody but {} has its rights: repair the name service (getent group {}), then restart",
                       error.text(), always_allowed(own), shell_word(group));
}

}  // namespace

struct Server::Parts {
    Parts(asio::any_io_executor executor, Clock& clock_, Log log_, ListeningSocket listening_,
          const ServerSettings& set, const Rights& rights, Operations& operations)
        : clock(clock_), log(log_), listening(std::move(listening_)), acceptor(executor),
          api(operations, clock_, log_, rights, {set.readers, set.admins}, set.names), own_uid(rights.own_uid),
          tasks(executor, [this](const std::string&, const std::exception_ptr& error) { connection_failed(error); })
    {
    }

    std::size_t open_of(uid_t uid) const;
    Crowd crowd_for(uid_t uid) const;
    void refuse(uid_t uid, const std::string& text);
    void turn_away(Local::socket socket, Peer peer, Reply reply);
    asio::awaitable<void> say_no(std::list<Connection>::iterator connection, Reply reply);
    // A bug ends only this connection.
    void connection_failed(const std::exception_ptr& error)
    {
        log.error(fmt::format("bug: a connection to the control socket failed: {}; please send a bug report with this "
                              "log",
                              describe_exception(error)));
    }
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
    std::list<Connection> turned_away;  // those that are told why they are refused
    std::set<uid_t> crowded;            // users that were refused and logged
    std::vector<std::string> warnings;
    TaskGroup tasks;  // last: its coroutines use the other members
};

Result<std::unique_ptr<Server>> Server::open(asio::any_io_executor executor, Clock& clock, Log log,
                                             ServerSettings settings, Operations& operations)
{
    Rights rights{::geteuid(), std::nullopt, std::nullopt};
    std::vector<std::string> missing;
    std::vector<std::string> unanswered;
    for (auto [name, group] :
         {std::pair(&settings.readers, &rights.readers), std::pair(&settings.admins, &rights.admins)}) {
        if (name->empty()) {
            continue;
        }
        // A name service that does not answer must not keep the daemon from its work: root may act all the same.
        const auto found = find_group(*name);
        if (!found) {
            unanswered.push_back(describe_unanswered(found.error(), *name, rights.own_uid));
        } else if (*group = *found; !*group) {
            missing.push_back(*name);
        }
    }
    SHELFD_TRY_ASSIGN(listening, ListeningSocket::open(settings.path));
    auto parts = std::make_unique<Parts>(std::move(executor), clock, std::move(log), std::move(listening), settings,
                                         rights, operations);
    parts->warnings = std::move(unanswered);
    if (!missing.empty()) {
        parts->warnings.push_back(describe_missing(missing, rights.own_uid));
    }
    const int copy = parts->listening->duplicate();
    if (copy < 0) {
        return Error(ErrorKind::storage, fmt::format("cannot listen on the control socket: {}", std::strerror(errno)));
    }
    boost::system::error_code failed;
    parts->acceptor.assign(Local(), copy, failed);
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

// Rights are checked first, so that users without rights take no place from others.
void Server::Parts::admit(Local::socket socket)
{
    auto peer = read_peer(socket.native_handle());
    if (!peer) {
        log.warning("control: " + peer.error().text());
        return;  // the destructor closes it
    }
    const auto uid = peer->uid;
    const auto right = api.right_of(*peer);
    if (right == Right::none) {
        refuse(uid, "a user without rights");
        turn_away(std::move(socket), std::move(*peer), api.refusal_of(uid));
        return;
    }
    auto admission = control::admit(*peer, right, own_uid, crowd_for(uid));
    if (admission.kind != Admission::Kind::whole) {
        refuse(uid, admission.why);
    }
    if (admission.kind == Admission::Kind::none) {
        turn_away(std::move(socket), std::move(*peer), error_reply(Error(ErrorKind::throttled, admission.why)));
        return;
    }
    const auto connection = connections.emplace(connections.end(), std::move(socket), std::move(*peer), api, clock,
                                                std::move(admission.why));
    tasks.spawn(serve(connection));
}

void Server::Parts::turn_away(Local::socket socket, Peer peer, Reply reply)
{
    // The oldest had its answer long ago, and waits only for what its client still sends.
    if (turned_away.size() >= max_turned_away) {
        const auto over = static_cast<std::ptrdiff_t>(turned_away.size() - max_turned_away);
        std::next(turned_away.begin(), over)->close();
    }
    if (turned_away.size() < 2 * max_turned_away) {
        const auto connection =
            turned_away.emplace(turned_away.end(), std::move(socket), std::move(peer), api, clock, "");
        tasks.spawn(say_no(connection, std::move(reply)));
    }
}

asio::awaitable<void> Server::Parts::say_no(std::list<Connection>::iterator connection, Reply reply)
{
    const ScopeExit leave([this, connection] { turned_away.erase(connection); });
    auto refusing = connection->refuse(std::move(reply));
    co_await std::move(refusing);
}

std::size_t Server::Parts::open_of(uid_t uid) const
{
    const auto count =
        std::count_if(connections.begin(), connections.end(), [uid](const auto& one) { return one.peer().uid == uid; });
    return static_cast<std::size_t>(count);
}

Crowd Server::Parts::crowd_for(uid_t uid) const
{
    const auto lookers = std::count_if(connections.begin(), connections.end(),
                                       [this](const auto& one) { return api.right_of(one.peer()) == Right::look; });
    return {connections.size(), static_cast<std::size_t>(lookers), open_of(uid)};
}

// Logged once for each crowd; its cause could also flood the log.
void Server::Parts::refuse(uid_t uid, const std::string& text)
{
    if (crowded.insert(uid).second) {
        log.warning("control: refused: " + text, {{"uid", std::to_string(uid)}});
    }
}

asio::awaitable<void> Server::Parts::serve(std::list<Connection>::iterator connection)
{
    const ScopeExit leave([this, connection] {
        const auto peer = connection->peer();
        connections.erase(connection);
        if (control::admit(peer, api.right_of(peer), own_uid, crowd_for(peer.uid)).kind == Admission::Kind::whole) {
            crowded.erase(peer.uid);
        }
    });
    co_await connection->serve();
}

// Ends without a throw when it is cancelled: only the waiting is cancelled, and work follows.
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
            auto pause = clock.sleep_for(std::chrono::seconds(1));  // out of descriptors: some will be released
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
    for (auto* connections : {&parts_->connections, &parts_->turned_away}) {
        for (auto& connection : *connections) {
            connection.close();
        }
    }
    parts_->tasks.cancel();
    auto ending = parts_->tasks.join();
    co_await std::move(ending);
}

}  // namespace shelfd::control
