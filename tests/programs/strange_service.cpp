#include "strange_service.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace shelfd {
namespace {

constexpr auto document = R"({"openapi":"3.1.0","info":{"title":"Shop"},"servers":[{"url":"/shop/v7"}],"paths":{
"/tickets":{"get":{"summary":"Sold tickets"}},"/tickets/{code}":{"get":{}},"/halls":{"get":{"summary":"Halls"}},
"/status":{"get":{"responses":{"200":{"content":{"application/json":{"schema":{"properties":{"up":{"type":"boolean"}}}}}}}}}}})";

std::string reply(int status, const std::string& body, const std::string& headers = "",
                  const std::string& type = "application/json")
{
    return fmt::format("HTTP/1.1 {} X\r\nContent-Type: {}\r\nContent-Length: {}\r\n{}Connection: close\r\n\r\n{}",
                       status, type, body.size(), headers, body);
}

int number_in(const std::string& query, const std::string& name, int otherwise)
{
    const auto at = ("&" + query).find("&" + name + "=");
    return at == std::string::npos ? otherwise : std::max(1, std::atoi(query.c_str() + at + name.size() + 1));
}

// With its body, if there is one.
bool is_whole(const std::string& request)
{
    const auto end = request.find("\r\n\r\n");
    constexpr std::string_view length = "Content-Length: ";
    const auto at = request.find(length);
    const auto body = at < end ? std::strtoul(request.c_str() + at + length.size(), nullptr, 10) : 0;
    return end != std::string::npos && request.size() >= end + 4 + body;
}

std::string access_of(int generation)
{
    return fmt::format("strange-access-of-generation-{}", generation);
}

std::string refresh_of(int generation)
{
    return fmt::format("strange-refresh-of-generation-{}", generation);
}

sockaddr* generic(sockaddr_in& address)
{
    return static_cast<sockaddr*>(static_cast<void*>(&address));
}

}  // namespace

StrangeService::StrangeService() : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))
{
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (::bind(listener_, generic(address), size) != 0 || ::listen(listener_, 64) != 0 ||
        ::getsockname(listener_, generic(address), &size) != 0) {
        throw std::runtime_error("the service cannot listen");
    }
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { run(); });
}

StrangeService::~StrangeService()
{
    stopping_ = true;
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
}

void StrangeService::run()
{
    while (!stopping_) {
        const int connection = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
        if (connection < 0) {
            continue;
        }
        std::string request;
        std::array<char, 4096> piece{};
        while (!is_whole(request)) {
            const auto size = ::read(connection, piece.data(), piece.size());
            if (size <= 0) {
                break;
            }
            request.append(piece.data(), static_cast<std::size_t>(size));
        }
        ++requests_;
        const auto text = answer(request);
        for (std::size_t sent = 0; sent < text.size();) {
            const auto size = ::send(connection, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
            if (size <= 0) {
                break;
            }
            sent += static_cast<std::size_t>(size);
        }
        ::close(connection);
    }
}

std::string StrangeService::set_of(int generation)
{
    return fmt::format(R"({{"access_token":"{}","refresh_token":"{}","expires_in":604800,"token_type":"Bearer",)"
                       R"("scope":"tickets halls"}})",
                       access_of(generation), refresh_of(generation));
}

std::string StrangeService::refresh(const std::string& body)
{
    const auto form = "&" + body + "&";
    const auto has = [&](const std::string& name, const std::string& value) {
        return form.find("&" + name + "=" + value + "&") != std::string::npos;
    };
    if (!has("client_id", client_id) || !has("client_secret", client_secret)) {
        return reply(401, R"({"error":"invalid_client"})");
    }
    if (!has("grant_type", "refresh_token") || !has("refresh_token", refresh_of(generation_))) {
        return reply(400, R"({"error":"invalid_grant"})");
    }
    return reply(200, set_of(++generation_));
}

std::string StrangeService::answer(const std::string& request)
{
    const auto begin = request.find(' ') + 1;
    const auto target = request.substr(begin, request.find(' ', begin) - begin);
    const auto path = target.substr(0, target.find('?'));
    const auto query = path.size() == target.size() ? "" : target.substr(path.size() + 1);
    if (path == "/") {
        return reply(200, "<!doctype html><title>Shop</title>", "", "text/html");
    }
    if (path == "/oauth/token/" && request.starts_with("POST ")) {
        return refresh(request.substr(request.find("\r\n\r\n") + 4));
    }
    const bool is_known = request.find(fmt::format("Bearer {}\r\n", token)) != std::string::npos ||
                          request.find(fmt::format("Bearer {}\r\n", access_of(generation_))) != std::string::npos;
    if (!is_known) {
        return reply(401, R"({"error":"who are you"})", "WWW-Authenticate: Bearer error=\"invalid_token\"\r\n");
    }
    if (path == "/openapi.json") {
        return reply(200, document);
    }
    if (path == "/shop/v7/tickets" || path == "/shop/v7/halls" || path == "/shop/v7/seats") {
        return list(path, query);
    }
    if (path == forbidden) {
        return reply(403, R"({"detail":"not for you"})");
    }
    return reply(404, "<html>nothing here</html>", "", "text/html");
}

std::string StrangeService::list(const std::string& path, const std::string& query) const
{
    const bool are_seats = path.ends_with("seats");
    const bool are_halls = path.ends_with("halls") || are_seats;
    const int rows = are_halls ? 3 : tickets;
    const int size = std::min(50, number_in(query, "page_size", 50));
    const int page = number_in(query, "page", 1);
    std::string items;
    for (int row = (page - 1) * size; row < std::min(rows, page * size); ++row) {
        const auto name = are_halls ? fmt::format(R"("name":"Hall {}")", row)
                                    : fmt::format(R"("hall":"H{}","price":"{}.50","sold_on":"2026-0{}-15","paid":{})",
                                                  row % 3, row, 1 + row % 9, row % 2 == 0);
        items += fmt::format(R"({}{{"{}":"T{:04}",{}}})", items.empty() ? "" : ",", are_seats ? "number" : "code", row,
                             name);
    }
    auto headers = fmt::format("X-Total-Count: {}\r\n", rows);
    if (page * size < rows) {
        headers += fmt::format("Link: <{}{}?page={}&page_size={}>; rel=\"next\"\r\n", url(), path, page + 1, size);
    }
    return reply(200, "[" + items + "]", headers);
}

}  // namespace shelfd
