#include "http/curl/curl_errors.hpp"

#include <algorithm>
#include <array>
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

// Of the network, where what can be done is known.
Error network_error(std::string why, std::string_view joint, TroubleSource source)
{
    return Error(ErrorKind::network, std::move(why)).with(source).advise(joint, std::string(advice_on(source)));
}

Error network_error(std::string why)
{
    return {ErrorKind::network, std::move(why)};
}

// The connection was established and then broke.
Error broken_connection(const CurlFailure& failure)
{
    if (failure.tunnel_status >= 300) {
        return network_error(
            fmt::format("the proxy refused a tunnel to {} with status {}", failure.place, failure.tunnel_status), ": ",
            failure.tunnel_status == 407 ? TroubleSource::proxy_login : TroubleSource::proxy_refusal);
    }
    const auto reason = failure.os_error != 0 ? fmt::format(": {}", std::strerror(failure.os_error)) : "";
    switch (failure.delivery) {
    case Delivery::not_sent:
        return network_error(fmt::format("cannot connect to {}: the connection broke before the request was sent{}",
                                         failure.place, reason));
    case Delivery::perhaps_sent:
        return network_error(fmt::format("{} closed the connection without an answer{}", failure.place, reason));
    case Delivery::answered:
        return network_error(fmt::format("the answer of {} was cut short{}", failure.place, reason));
    }
    std::abort();
}

// Numbers of OpenSSL's x509_vfy.h.
constexpr long x509_ok = 0;
constexpr long x509_unspecified = 1;  // libcurl begins with it
constexpr long x509_not_yet_valid = 9;
constexpr long x509_expired = 10;
constexpr long x509_other_host = 62;

// The certificate of an issuer is missing (2, 20, 21), or signed itself and is not trusted (18, 19). Others, such as a
// revoked certificate, are not the fault of the file of trusted certificates.
bool lacks_authority(long verification)
{
    constexpr std::array<long, 5> numbers = {2, 18, 19, 20, 21};
    return std::find(numbers.begin(), numbers.end(), verification) != numbers.end();
}

// By the result of OpenSSL's verification. What it accepts, libcurl refuses only for the name of the host.
TroubleSource fault_of_certificate(long verification)
{
    switch (verification) {
    case x509_expired: return TroubleSource::expired_certificate;
    case x509_not_yet_valid: return TroubleSource::early_certificate;
    case x509_ok:
    case x509_unspecified:
    case x509_other_host: return TroubleSource::other_host;
    default: return TroubleSource::unknown_authority;
    }
}

Error untrusted_certificate(const CurlFailure& failure, const Route& route)
{
    auto why = fmt::format("the certificate of {} is not trusted: {}", failure.place, failure.words);
    if (!route.ca_file.empty() && lacks_authority(failure.verification)) {
        return network_error(fmt::format("{}; its authority is not in {}, or the server does not send an intermediate "
                                         "certificate",
                                         why, route.ca_file),
                             ": ", TroubleSource::ca_file);
    }
    const auto fault = fault_of_certificate(failure.verification);
    switch (fault) {
    case TroubleSource::expired_certificate:
        return network_error(why +
                             "; the service must renew it, unless the clock of this machine is wrong (timedatectl)")
            .with(fault);
    case TroubleSource::other_host: return network_error(why + "; it belongs to another host", ": ", fault);
    default: return network_error(std::move(why), "; ", fault);
    }
}

Error network_failure(const CurlFailure& failure, const Route& route)
{
    switch (failure.code) {
    case CURLE_COULDNT_RESOLVE_PROXY:
        return network_error("cannot resolve the name of the proxy", ": ", TroubleSource::proxy_name);
    case CURLE_COULDNT_RESOLVE_HOST:
        return network_error(fmt::format("cannot resolve the host name of {}", failure.place), ": ",
                             TroubleSource::host_name);
    case CURLE_COULDNT_CONNECT: return network_error(connect_text(failure, route));
    case CURLE_SSL_CACERT_BADFILE:
        return route.ca_file.empty()
                   ? network_error("cannot read the trusted certificates", ": ", TroubleSource::no_certificates)
                   : network_error(fmt::format("cannot read the trusted certificates from {}", route.ca_file), ": ",
                                   TroubleSource::ca_file);
    case CURLE_PEER_FAILED_VERIFICATION: return untrusted_certificate(failure, route);
    case CURLE_SSL_CONNECT_ERROR:
        return network_error(fmt::format("no secure connection to {}: {}", failure.place, failure.words));
    case CURLE_OUT_OF_MEMORY:
        // libcurl also reports this for a header larger than its limit (CURL_MAX_HTTP_HEADER).
        return network_error(failure.delivery == Delivery::not_sent
                                 ? std::string("this machine has no memory left for a request")
                                 : fmt::format("{} sent a header of more than 100 KB, or this machine has no memory "
                                               "left",
                                               failure.place));
    case CURLE_OK:
    case CURLE_GOT_NOTHING:
    case CURLE_PARTIAL_FILE:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_FAIL_REWIND: return broken_connection(failure);
    default:
        return network_error(fmt::format("no complete answer from {}: {}", failure.place,
                                         curl_easy_strerror(static_cast<CURLcode>(failure.code))));
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
    return network_failure(failure, route).with(failure.delivery);
}

}  // namespace shelfd::http
