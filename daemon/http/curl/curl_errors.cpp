#include "http/curl/curl_errors.hpp"

#include <cerrno>
#include <cstring>

#include <curl/curl.h>
#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace shelfd::http {
namespace {

std::string timeout_text(const CurlFailure& failure, const Timeouts& timeouts)
{
    switch (failure.delivery) {
    case Delivery::not_sent:
        return fmt::format("cannot connect to {}: no connection within {}", failure.place,
                           describe_limit(std::min(timeouts.connect, timeouts.total)));
    case Delivery::perhaps_sent:
        return fmt::format("{} gave no answer within {}", failure.place, describe_limit(timeouts.total));
    case Delivery::answered:
        return fmt::format("the answer of {} was not complete after {}", failure.place, describe_limit(timeouts.total));
    }
    std::abort();
}

// libcurl keeps no errno of socket(2). 0 if there are file descriptors.
int errno_of_a_descriptor()
{
    const int descriptor = ::eventfd(0, EFD_CLOEXEC);
    if (descriptor < 0) {
        return errno;
    }
    ::close(descriptor);
    return 0;
}

std::string connect_text(const CurlFailure& failure, const Route& route)
{
    const int error = failure.os_error != 0 ? failure.os_error : errno_of_a_descriptor();
    const auto reason = error != 0 ? std::strerror(error) : "no route";
    if (!route.unix_socket.empty()) {
        return fmt::format("cannot connect to {}: {}", route.unix_socket, reason);
    }
    // Does not name the proxy: its address may hold a password.
    const auto* through = route.proxy.empty() ? "" : " through the proxy";
    return fmt::format("cannot connect to {}{}: {}", failure.place, through, reason);
}

// The connection was established and then broke.
std::string broken_text(const CurlFailure& failure)
{
    if (failure.tunnel_status >= 300) {
        return fmt::format("the proxy refused a tunnel to {} with status {}: check {}, then: shelfctl reload",
                           failure.place, failure.tunnel_status,
                           failure.tunnel_status == 407 ? "the name and the password in proxy"
                                                        : "proxy in the configuration, and what the proxy allows");
    }
    const auto reason = failure.os_error != 0 ? fmt::format(": {}", std::strerror(failure.os_error)) : "";
    switch (failure.delivery) {
    case Delivery::not_sent:
        return fmt::format("cannot connect to {}: the connection broke before the request was sent{}", failure.place,
                           reason);
    case Delivery::perhaps_sent:
        return fmt::format("{} closed the connection without an answer{}", failure.place, reason);
    case Delivery::answered: return fmt::format("the answer of {} was cut short{}", failure.place, reason);
    }
    std::abort();
}

// libcurl tells these apart in words only; they are those of OpenSSL and of its own check of the host name.
std::string advice_on_certificate(const std::string& words)
{
    const auto says = [&words](std::string_view part) { return words.find(part) != std::string::npos; };
    if (says("has expired")) {
        return "the service must renew it, unless the clock of this machine is wrong (timedatectl)";
    }
    if (says("not yet valid")) {
        return "check the clock of this machine: timedatectl";
    }
    if (says("subject name") || says("does not match")) {
        return "it belongs to another host: check the host in base_url and auth_url, and what the proxy answers";
    }
    return "for a private authority, set ca_file, then: shelfctl reload";
}

std::string network_text(const CurlFailure& failure, const Route& route)
{
    switch (failure.code) {
    case CURLE_COULDNT_RESOLVE_PROXY:
        return "cannot resolve the name of the proxy: check proxy in the configuration, and the name servers";
    case CURLE_COULDNT_RESOLVE_HOST:
        return fmt::format(
            "cannot resolve the host name of {}: check base_url and this machine's name servers (getent hosts NAME)",
            failure.place);
    case CURLE_COULDNT_CONNECT: return connect_text(failure, route);
    case CURLE_SSL_CACERT_BADFILE:
        return route.ca_file.empty()
                   ? std::string("cannot read the trusted certificates: sudo apt install ca-certificates")
                   : fmt::format("cannot read the trusted certificates from {}: correct ca_file, then: shelfctl reload",
                                 route.ca_file);
    case CURLE_PEER_FAILED_VERIFICATION:
        return fmt::format("the certificate of {} is not trusted: {}; {}", failure.place, failure.words,
                           advice_on_certificate(failure.words));
    case CURLE_SSL_CONNECT_ERROR: return fmt::format("no secure connection to {}: {}", failure.place, failure.words);
    case CURLE_OUT_OF_MEMORY:
        // libcurl also reports this for a header larger than its limit (CURL_MAX_HTTP_HEADER).
        return failure.delivery == Delivery::not_sent
                   ? std::string("this machine has no memory left for a request")
                   : fmt::format("{} sent a header of more than 100 KB, or this machine has no memory left",
                                 failure.place);
    case CURLE_OK:
    case CURLE_GOT_NOTHING:
    case CURLE_PARTIAL_FILE:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_FAIL_REWIND: return broken_text(failure);
    default:
        return fmt::format("no complete answer from {}: {}", failure.place,
                           curl_easy_strerror(static_cast<CURLcode>(failure.code)));
    }
}

}  // namespace

std::string describe_limit(Duration limit)
{
    return limit < std::chrono::seconds(1) ? fmt::format("{} ms", limit.count() / 1000) : describe_duration(limit);
}

Error describe_failure(const CurlFailure& failure, const Timeouts& timeouts, const Route& route)
{
    const bool late = failure.code == CURLE_OPERATION_TIMEDOUT;
    // Bytes that are not HTTP: libcurl takes them for HTTP/0.9, which no service uses.
    const bool foreign = failure.delivery != Delivery::not_sent &&
                         (failure.code == CURLE_UNSUPPORTED_PROTOCOL || failure.code == CURLE_WEIRD_SERVER_REPLY);
    if (late) {
        return Error(ErrorKind::timeout, timeout_text(failure, timeouts)).with(failure.delivery);
    }
    if (failure.code == CURLE_BAD_CONTENT_ENCODING) {
        return Error(ErrorKind::protocol,
                     fmt::format("the answer of {} cannot be decompressed: it is not what its Content-Encoding says",
                                 failure.place))
            .with(failure.delivery);
    }
    // libcurl reports the first it meets in words only: "Invalid Content-Length: value".
    const bool is_refused =
        failure.code == CURLE_WEIRD_SERVER_REPLY && failure.words.find("Content-Length") != std::string::npos;
    const bool is_ended_by_us = failure.code == CURLE_OK || failure.code == CURLE_WRITE_ERROR;
    if (is_refused || (failure.has_unusable_length && is_ended_by_us)) {
        return Error(ErrorKind::protocol,
                     fmt::format("the Content-Length of the answer of {} is not one length", failure.place))
            .with(failure.delivery);
    }
    if (foreign) {
        return Error(ErrorKind::protocol, fmt::format("{} did not send an HTTP answer", failure.place))
            .with(failure.delivery);
    }
    return Error(ErrorKind::network, network_text(failure, route)).with(failure.delivery);
}

}  // namespace shelfd::http
