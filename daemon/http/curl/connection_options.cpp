#include "http/curl/connection_options.hpp"

#include <chrono>
#include <filesystem>
#include <system_error>

#include <curl/curl.h>

namespace shelfd::http {
namespace {

void set_address(void* easy, const Request& request)
{
    const auto& route = request.route;
    curl_easy_setopt(easy, CURLOPT_URL, request.url.c_str());
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
    // An empty string (not null) disables http_proxy, https_proxy and no_proxy of the environment.
    curl_easy_setopt(easy, CURLOPT_PROXY, route.proxy.c_str());
    curl_easy_setopt(easy, CURLOPT_NOPROXY, "");
    curl_easy_setopt(easy, CURLOPT_HEADEROPT, static_cast<long>(CURLHEADER_SEPARATE));
    curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    if (!route.unix_socket.empty()) {
        curl_easy_setopt(easy, CURLOPT_UNIX_SOCKET_PATH, route.unix_socket.c_str());
    }
    // HTTP/2 would add automatic retries (REFUSED_STREAM).
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    curl_easy_setopt(easy, CURLOPT_TCP_NODELAY, 1L);
    curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
    const auto millis = [](Duration duration) {
        return static_cast<long>(std::chrono::duration_cast<std::chrono::milliseconds>(duration).count());
    };
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, millis(request.timeouts.connect));
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, millis(request.timeouts.total));
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    // Without it, a request cancelled during the look-up of its host name blocks the loop until the look-up ends.
    curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
}

void set_trust(void* easy, const Request& request)
{
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 2L);
    curl_easy_setopt(easy, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
    if (const auto& file = request.route.ca_file; !file.empty()) {
        // OpenSSL would wait for ever for what a pipe brings; an empty file is refused at once.
        std::error_code error;
        curl_easy_setopt(easy, CURLOPT_CAINFO,
                         std::filesystem::is_regular_file(file, error) ? file.c_str() : "/dev/null");
    }
    // A private authority replaces the system's, and libcurl caches parsed certificates only without a directory.
    curl_easy_setopt(easy, CURLOPT_CAPATH, nullptr);
    curl_easy_setopt(easy, CURLOPT_CA_CACHE_TIMEOUT, 3600L);
    curl_easy_setopt(easy, CURLOPT_UNRESTRICTED_AUTH, 0L);
    // Measured: inflating costs more CPU than it saves on a local network. libcurl decodes any coding that arrives, but
    // only if some coding was requested.
    const auto* const offered = request.url.starts_with("https:") ? "gzip" : "identity";
    curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, offered);
}

}  // namespace

void set_connection_options(void* easy, const Request& request)
{
    set_address(easy, request);
    set_trust(easy, request);
}

}  // namespace shelfd::http
