#include "ctl/daemon/client.hpp"

#include "base/regular_file.hpp"
#include "base/version.hpp"
#include "ctl/context/places.hpp"
#include "ctl/context/user_mode.hpp"
#include "http/curl/curl_client.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/core.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace shelfd::ctl {
namespace {

namespace asio = boost::asio;

namespace json = boost::json;

constexpr auto as_long_as_it_takes = std::chrono::hours(24 * 366);
// An exchange with the service takes up to three minutes.
constexpr http::Timeouts timeouts{std::chrono::seconds(10), std::chrono::minutes(10), as_long_as_it_takes};
// While it streams, the daemon sends a line every ten seconds.
constexpr http::Timeouts stream_timeouts{std::chrono::seconds(10), std::chrono::minutes(1), as_long_as_it_takes};
// After the caller's limit, for the last line of a daemon that keeps it.
constexpr auto time_to_say_so = std::chrono::seconds(5);

http::Request make_request(const std::string& socket, http::Method method, const std::string& path, Secret body)
{
    http::Request request;
    request.method = method;
    request.url = "http://shelfd" + path;
    request.route.unix_socket = socket;
    request.body = std::move(body);
    request.connection = http::Connection::one_shot;
    request.timeouts = timeouts;
    return request;
}

// Sends the request on a loop of its own.
Result<http::Response> carry_out(http::Request request)
{
    asio::io_context loop(1);
    SHELFD_TRY_ASSIGN(client, http::CurlClient::open(loop.get_executor(), fmt::format("shelfctl/{}", version)));
    std::optional<Result<http::Response>> outcome;
    auto ended = [&](const std::exception_ptr& error, std::optional<Result<http::Response>> response) {
        if (error) {
            std::rethrow_exception(error);
        }
        outcome = std::move(response);
    };
    auto send = [](http::Client& network,
                   http::Request wanted) -> asio::awaitable<std::optional<Result<http::Response>>> {
        auto sending = network.send(std::move(wanted));
        co_return co_await std::move(sending);
    };
    asio::co_spawn(loop, send(*client, std::move(request)), std::move(ended));
    loop.run();
    return std::move(*outcome);
}

// 0 if a program accepts connections on that socket, otherwise the errno of connect(2).
int try_connecting(const std::string& path)
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof(address.sun_path)) {
        return ENAMETOOLONG;
    }
    std::memcpy(address.sun_path, path.data(), path.size());
    const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (socket < 0) {
        return errno;
    }
    const auto* generic = static_cast<const sockaddr*>(static_cast<const void*>(&address));
    const int failed = ::connect(socket, generic, sizeof(address)) == 0 ? 0 : errno;
    ::close(socket);
    return failed;
}

// The process id of a program named shelfd that this user may see; "" = none.
std::string running_daemon()
{
    std::error_code failed;
    for (std::filesystem::directory_iterator each("/proc", failed), end; !failed && each != end;
         each.increment(failed)) {
        const auto id = each->path().filename().string();
        const bool is_process = id.find_first_not_of("0123456789") == id.npos;
        if (is_process && read_regular_file(each->path().string() + "/comm", 64).value_or("") == "shelfd\n") {
            return id;
        }
    }
    return "";
}

// A daemon that stops has removed its socket; it may hold a token set that no disk has accepted yet.
Error explain_absence(const std::string& socket, const std::string& config_file)
{
    if (const auto id = running_daemon(); !id.empty()) {
        return Error(
            ErrorKind::network,
            fmt::format("no daemon can be reached: there is no socket {}, but shelfd runs as process {}. If it "
                        "is starting or stopping, wait for it, and do not kill it: it stores token sets first "
                        "(its log: {}). If its socket was removed, restart it. If it is another one, name its "
                        "socket with --socket or SHELFD_SOCKET, or start the daemon: {}",
                        socket, id, log_command(socket, ::geteuid()), start_command(socket, ::geteuid(), config_file)));
    }
    return Error(
        ErrorKind::network,
        fmt::format("no daemon can be reached: there is no socket {}; start the daemon: {}, or name its socket "
                    "with --socket or SHELFD_SOCKET",
                    socket, start_command(socket, ::geteuid(), config_file)));
}

// The host and port of requests to a socket are names for libcurl, and nobody else's.
std::string words_of(const Error& error)
{
    constexpr std::string_view place = "shelfd:80";
    std::string text = error.text();
    for (auto at = text.find(place); at != std::string::npos; at = text.find(place)) {
        text.replace(at, place.size(), "the daemon");
    }
    return text;
}

Error explain_silence(const std::string& socket, const std::string& config_file, const Error& error)
{
    const int failed = try_connecting(socket);
    if (failed == EAGAIN) {
        return Error(ErrorKind::busy,
                     fmt::format("the daemon on {} accepts no more connections now; try again", socket));
    }
    if (failed == 0 && error.kind() == ErrorKind::network && error.delivery != Delivery::answered) {
        return Error(ErrorKind::busy, fmt::format("the daemon on {} closed the connection without an answer: it has "
                                                  "too many connections, or was just restarted; try again",
                                                  socket));
    }
    if (failed == 0 && error.kind() == ErrorKind::timeout) {
        return Error(ErrorKind::timeout,
                     fmt::format("the daemon on {} accepted the connection, and then said nothing: it may be stopped "
                                 "(SIGSTOP, a debugger), or wait for a disk; see its log ({}), then try again",
                                 socket, log_command(socket, ::geteuid())));
    }
    if (error.delivery != Delivery::not_sent) {
        return Error(ErrorKind::network,
                     fmt::format("the connection to the daemon on {} was lost: {}; check its log ({}), then try again",
                                 socket, words_of(error), log_command(socket, ::geteuid())));
    }
    if (::access(socket.c_str(), W_OK) != 0) {
        const int reason = errno;
        if (reason == ENOENT) {
            return explain_absence(socket, config_file);
        }
        return Error(ErrorKind::permission, fmt::format("you may not connect to the socket {}: {}; try with sudo",
                                                        socket, std::strerror(reason)));
    }
    return Error(ErrorKind::network, fmt::format("no daemon answers on {} ({}); start it: {}", socket, words_of(error),
                                                 start_command(socket, ::geteuid(), config_file)));
}

// curl only reports "could not connect"; the socket file shows why, and what to type.
Error nobody_there(const std::string& socket, const std::string& config_file, const Error& error)
{
    auto explained = explain_silence(socket, config_file, error);
    explained.delivery = error.delivery;
    return explained;
}

ErrorKind kind_from(std::string_view word)
{
    for (const auto kind :
         {ErrorKind::usage, ErrorKind::config, ErrorKind::permission, ErrorKind::busy, ErrorKind::storage,
          ErrorKind::corrupt, ErrorKind::network, ErrorKind::timeout, ErrorKind::refused, ErrorKind::throttled,
          ErrorKind::needs_person, ErrorKind::not_found, ErrorKind::stopped}) {
        if (word == to_string(kind)) {
            return kind;
        }
    }
    return ErrorKind::protocol;
}

}  // namespace

DaemonClient client_of(const Context& context)
{
    const auto& file = context.command.config_file;
    return DaemonClient(find_places(context.command, context.environment).socket,
                        file == Command().config_file ? "" : file);
}

Error error_from_json(std::string_view text)
{
    boost::system::error_code broken;
    const auto document = json::parse({text.data(), text.size()}, broken);
    const auto* object = broken ? nullptr : document.if_object();
    const auto* kind = object != nullptr ? object->if_contains("kind") : nullptr;
    const auto* words = object != nullptr ? object->if_contains("text") : nullptr;
    if (kind == nullptr || !kind->is_string() || words == nullptr || !words->is_string()) {
        return Error(ErrorKind::protocol, "the answer does not come from shelfd; which program uses that socket?");
    }
    const auto& word = kind->get_string();
    const auto& sentence = words->get_string();
    return Error(kind_from({word.data(), word.size()}), std::string(sentence.data(), sentence.size()));
}

Result<void> DaemonClient::Answer::check() const
{
    if (status >= 200 && status < 300) {
        return {};
    }
    boost::system::error_code broken;
    const auto document = json::parse({body.data(), body.size()}, broken);
    const auto* object = broken ? nullptr : document.if_object();
    const auto* error = object != nullptr ? object->if_contains("error") : nullptr;
    return error_from_json(error != nullptr ? json::serialize(*error) : "");
}

Result<DaemonClient::Answer> DaemonClient::get(const std::string& path)
{
    auto request = make_request(socket_, http::Method::get, path, Secret());
    request.timeouts = {std::chrono::seconds(10), std::chrono::seconds(30), std::chrono::seconds(60)};
    auto response = carry_out(std::move(request));
    if (!response) {
        return nobody_there(socket_, config_file_, response.error());
    }
    return Answer{response->status, std::move(response->body)};
}

Result<DaemonClient::Answer> DaemonClient::post(const std::string& path, Secret body)
{
    auto response = carry_out(make_request(socket_, http::Method::post, path, std::move(body)));
    if (!response) {
        return nobody_there(socket_, config_file_, response.error());
    }
    return Answer{response->status, std::move(response->body)};
}

Result<DaemonClient::Answer> DaemonClient::stream(const std::string& path, Secret body, const LineSink& on_line,
                                                  std::optional<Duration> limit)
{
    auto request = make_request(socket_, http::Method::post, path, std::move(body));
    request.timeouts = stream_timeouts;
    if (limit && *limit < request.timeouts.total - time_to_say_so) {
        request.timeouts.total = *limit + time_to_say_so;
    }
    request.keeping = http::Keeping::refusals;
    int status = 0;
    std::string unfinished;
    request.on_headers = [&](int code) { status = code; };
    request.on_piece = [&](std::string_view piece) {
        unfinished += piece;
        for (auto end = unfinished.find('\n'); status == 200 && end != std::string::npos; end = unfinished.find('\n')) {
            on_line(std::string_view(unfinished).substr(0, end));
            unfinished.erase(0, end + 1);
        }
    };
    auto response = carry_out(std::move(request));
    if (!response) {
        return nobody_there(socket_, config_file_, response.error());
    }
    return Answer{response->status, std::move(response->body)};
}

}  // namespace shelfd::ctl
