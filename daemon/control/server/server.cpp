#include "control/server/server.hpp"

#include "base/scope_exit.hpp"
#include "base/words/log_command.hpp"
#include "base/words/shell_word.hpp"
#include "control/api/api.hpp"
#include "control/api/peer.hpp"
#include "control/api/reply_json.hpp"
#include "control/server/accept_loop.hpp"
#include "control/server/admission.hpp"
#include "control/server/connection.hpp"
#include "control/server/listening_socket.hpp"
#include "runtime/async/task_group.hpp"

#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/this_coro.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <list>
#include <optional>
#include <set>
#include <utility>

#include <unistd.h>

namespace shelfd::control {
namespace {

using Local = asio::local::stream_protocol;

// Connections that get an explanation for a refusal, each for a moment. With more, the oldest are closed.
constexpr std::size_t max_turned_away = 32;
// What is read of their requests.
constexpr WireLimits limits_of_refused{.header = std::chrono::seconds(5), .body = 64u << 10};
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
    return fmt::format(
        "there is no group {}, so only {} may do what its members may: {}, then: shelfctl reload; or, without root, "
        "name a group of yours in control.readers and control.admins (\"\" = none), and restart the daemon",
        fmt::join(groups, " and no group "), always_allowed(own), cure);
}

std::string describe_unanswered(const Error& error, const std::string& group, uid_t own)
{
    return fmt::format("{}, so nobody but {} has its rights: repair the name service (getent group {}), then: shelfctl "
                       "reload",
                       error.text(), always_allowed(own), shell_word(group));
}

struct FoundGroups {
    Rights rights;
    std::vector<std::string> warnings;
};

// Blocks. A name service that does not answer must not keep the daemon from its work: root may act all the same, and a
// group that was known stays.
FoundGroups find_groups(const ServerSettings& settings, const Rights& known)
{
    FoundGroups found{known, {}};
    std::vector<std::string> missing;
    for (auto [name, group] :
         {std::pair(&settings.readers, &found.rights.readers), std::pair(&settings.admins, &found.rights.admins)}) {
        if (name->empty()) {
            continue;
        }
        const auto answer = settings.find_group(*name);
        if (!answer) {
            found.warnings.push_back(describe_unanswered(answer.error(), *name, known.own_uid));
        } else if (*group = *answer; !*group) {
            missing.push_back(*name);
        }
    }
    if (!missing.empty()) {
        found.warnings.push_back(describe_missing(missing, known.own_uid));
    }
    return found;
}

// "" if the group is the same.
std::string describe_change(const char* key, const std::string& name, const std::optional<gid_t>& before,
                            const std::optional<gid_t>& now)
{
    if (before == now) {
        return "";
    }
    return now ? fmt::format("{}: the members of the group {} ({}) have its rights now", key, name, *now)
               : fmt::format("{}: there is no group {} any more, so nobody has its rights", key, name);
}

}  // namespace

struct Server::Clients {
    Clients(asio::any_io_executor executor, Clock& clock_, Log log_, ListeningSocket listening_,
            const ServerSettings& set, const Rights& rights, Operations& operations)
        : clock(clock_), log(log_), listening(std::move(listening_)), acceptor(executor), settings(set),
          api(operations, clock_, log_, rights, {set.readers, set.admins}, set.names, journal_command(set.path)),
          own_uid(rights.own_uid),
          tasks(executor, [this](const std::string&, const std::exception_ptr& error) { connection_failed(error); })
    {
    }

    std::size_t open_of(uid_t uid) const;
    Crowd crowd_for(uid_t uid) const;
    void refuse(uid_t uid, const std::string& text);
    void turn_away(Local::socket socket, Peer peer, Reply reply, Connection::Heard heard = {});
    asio::awaitable<void> say_no(std::list<Connection>::iterator connection, Reply reply, Connection::Heard heard);
    // A bug ends only this connection.
    void connection_failed(const std::exception_ptr& error)
    {
        log.error(fmt::format("bug: a connection to the control socket failed: {}; please send a bug report with this "
                              "log",
                              describe_exception(error)));
    }
    asio::awaitable<void> serve(std::list<Connection>::iterator connection);
    void admit(Local::socket socket);

    Clock& clock;
    Log log;
    std::optional<ListeningSocket> listening;
    Local::acceptor acceptor;
    const ServerSettings settings;
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
    auto found = find_groups(settings, Rights{::geteuid(), std::nullopt, std::nullopt});
    SHELFD_TRY_ASSIGN(listening, ListeningSocket::open(settings.path));
    auto clients = std::make_unique<Clients>(std::move(executor), clock, std::move(log), std::move(listening), settings,
                                             found.rights, operations);
    clients->warnings = std::move(found.warnings);
    const int copy = clients->listening->duplicate();
    if (copy < 0) {
        return Error(ErrorKind::storage, fmt::format("cannot listen on the control socket: {}", std::strerror(errno)));
    }
    boost::system::error_code failed;
    clients->acceptor.assign(Local(), copy, failed);
    if (failed) {
        return Error(ErrorKind::storage, "cannot listen on the control socket: " + failed.message());
    }
    return std::unique_ptr<Server>(new Server(std::move(clients)));
}

Server::Server(std::unique_ptr<Clients> clients) : clients_(std::move(clients)) {}

Server::~Server() = default;

const std::vector<std::string>& Server::warnings() const
{
    return clients_->warnings;
}

asio::awaitable<std::vector<std::string>> Server::renew_rights()
{
    auto& api = clients_->api;
    const auto& settings = clients_->settings;
    const auto before = api.rights();
    auto work = [&settings, &before] { return find_groups(settings, before); };
    auto names = settings.names;
    auto found = co_await names.run(work);
    api.set_rights(found.rights);
    clients_->warnings = std::move(found.warnings);
    std::vector<std::string> lines{
        describe_change("control.readers", settings.readers, before.readers, found.rights.readers),
        describe_change("control.admins", settings.admins, before.admins, found.rights.admins)};
    std::erase(lines, "");
    co_return lines;
}

// Rights are checked first, so that users without rights take no place from others.
void Server::Clients::admit(Local::socket socket)
{
    auto peer = read_peer(socket.native_handle());
    if (!peer) {
        log.warning("control: " + peer.error().text());
        return;  // the destructor closes it
    }
    const auto uid = peer->uid;
    const auto right = api.right_of(*peer);
    if (right == Right::none) {
        auto heard = [this, known = *peer](std::optional<Call> call) {
            return api.note_stranger(call ? std::move(*call) : Call{"", "", "", Secret(), known});
        };
        turn_away(std::move(socket), std::move(*peer), api.refusal_of(uid), std::move(heard));
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

void Server::Clients::turn_away(Local::socket socket, Peer peer, Reply reply, Connection::Heard heard)
{
    // The oldest had its answer long ago, and waits only for what its client still sends.
    if (turned_away.size() >= max_turned_away) {
        const auto over = static_cast<std::ptrdiff_t>(turned_away.size() - max_turned_away);
        std::next(turned_away.begin(), over)->close();
    }
    if (turned_away.size() < 2 * max_turned_away) {
        const auto connection = turned_away.emplace(turned_away.end(), std::move(socket), std::move(peer), api, clock,
                                                    "", limits_of_refused);
        tasks.spawn(say_no(connection, std::move(reply), std::move(heard)));
    } else if (heard) {
        api.refusals().count(peer.uid);
    }
}

asio::awaitable<void> Server::Clients::say_no(std::list<Connection>::iterator connection, Reply reply,
                                              Connection::Heard heard)
{
    const ScopeExit leave([this, connection] { turned_away.erase(connection); });
    auto refusing = connection->refuse(std::move(reply), std::move(heard));
    co_await std::move(refusing);
}

std::size_t Server::Clients::open_of(uid_t uid) const
{
    const auto count =
        std::count_if(connections.begin(), connections.end(), [uid](const auto& one) { return one.peer().uid == uid; });
    return static_cast<std::size_t>(count);
}

Crowd Server::Clients::crowd_for(uid_t uid) const
{
    const auto lookers = std::count_if(connections.begin(), connections.end(),
                                       [this](const auto& one) { return api.right_of(one.peer()) == Right::look; });
    return {connections.size(), static_cast<std::size_t>(lookers), open_of(uid)};
}

// Logged once for each crowd; its cause could also flood the log.
void Server::Clients::refuse(uid_t uid, const std::string& text)
{
    if (crowded.insert(uid).second) {
        log.warning("control: refused: " + text, {{"uid", std::to_string(uid)}});
    }
}

asio::awaitable<void> Server::Clients::serve(std::list<Connection>::iterator connection)
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

asio::awaitable<void> Server::run()
{
    clients_->tasks.spawn(clients_->api.refusals().tell_left_out());
    auto admit = [this](Local::socket socket) { clients_->admit(std::move(socket)); };
    auto accepting = accept_all(clients_->acceptor, clients_->clock, clients_->log, "control", std::move(admit));
    try {
        co_await std::move(accepting);
    } catch (const boost::system::system_error& error) {
        if (error.code() != asio::error::operation_aborted) {
            throw;
        }
    }
    co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
    clients_->listening.reset();
    boost::system::error_code ignored;
    clients_->acceptor.close(ignored);
    for (auto* connections : {&clients_->connections, &clients_->turned_away}) {
        for (auto& connection : *connections) {
            connection.close();
        }
    }
    clients_->tasks.cancel();
    auto ending = clients_->tasks.join();
    co_await std::move(ending);
}

}  // namespace shelfd::control
