#include "http/curl/bare_request.hpp"

#include <fmt/format.h>

namespace shelfd::http {
namespace {

const char* name_of(Method method)
{
    switch (method) {
    case Method::get: return "GET";
    case Method::post: return "POST";
    case Method::options: return "OPTIONS";
    }
    std::abort();
}

// A tunnel, or SOCKS, leads to the service itself.
bool is_forwarded(const Route& route, const Url& url)
{
    return url.origin.scheme == "http" && !route.proxy.empty() && !route.proxy.starts_with("socks");
}

}  // namespace

Secret bare_request(const Request& request, const Url& url, const HeaderList& headers, std::string_view user_agent)
{
    const auto origin = url.origin.text();
    const auto whole = url.text();
    const auto target = std::string_view(whole).substr(is_forwarded(request.route, url) ? 0 : origin.size());
    const auto host = std::string_view(origin).substr(url.origin.scheme.size() + std::string_view("://").size());
    const auto first = fmt::format("{} {} HTTP/1.1\r\nHost: {}\r\nUser-Agent: {}\r\n", name_of(request.method), target,
                                   host, user_agent);
    const auto body = request.body.reveal();
    const auto last =
        request.method == Method::post ? fmt::format("Content-Length: {}\r\n\r\n", body.size()) : std::string("\r\n");
    std::string text;
    text.reserve(first.size() + headers.text_size() + last.size() + body.size());
    text.append(first);
    headers.append_to(text);
    text.append(last).append(body);
    return Secret(std::move(text));
}

}  // namespace shelfd::http
