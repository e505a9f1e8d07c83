#include "sim/ask.hpp"

#include "sim/json.hpp"

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include <fmt/format.h>

#include <charconv>

namespace shelfd::sim {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;

using boost::system::error_code;

struct Address {
    std::string host;
    std::string port;
    std::string target;
};

Result<Address> parse_address(const std::string& url)
{
    constexpr std::string_view scheme = "http://";
    if (!url.starts_with(scheme)) {
        return Error(ErrorKind::usage, "an address that begins with http:// is wanted, not " + url);
    }
    const auto rest = url.substr(scheme.size());
    const auto slash = rest.find('/');
    const auto authority = rest.substr(0, slash);
    const auto colon = authority.rfind(':');
    return Address{authority.substr(0, colon), colon == std::string::npos ? "80" : authority.substr(colon + 1),
                   slash == std::string::npos ? "/" : rest.substr(slash)};
}

Error network(const std::string& url, const error_code& error)
{
    return Error(ErrorKind::network, fmt::format("no answer from {}: {}", url, error.message()));
}

}  // namespace

Result<std::string> ask(const Question& question)
{
    const auto address = parse_address(question.url);
    if (!address) {
        return address.error();
    }
    http::request<http::string_body> request;
    request.method_string(question.method);
    request.target(address->target);
    request.set(http::field::host, address->host + ":" + address->port);
    if (!question.bearer.empty()) {
        request.set(http::field::authorization, "Bearer " + question.bearer);
    }
    request.body() = question.body;
    request.prepare_payload();

    asio::io_context loop;
    asio::ip::tcp::resolver resolver(loop);
    asio::ip::tcp::socket socket(loop);
    error_code error;
    const auto places = resolver.resolve(address->host, address->port, error);
    if (!error) {
        asio::connect(socket, places, error);
    }
    if (!error) {
        http::write(socket, request, error);
    }
    beast::flat_buffer buffer;
    http::response_parser<http::string_body> parser;
    parser.body_limit(boost::none);
    if (!error) {
        http::read(socket, buffer, parser, error);
    }
    if (error) {
        return network(question.url, error);
    }
    const auto& response = parser.get();
    const int status = static_cast<int>(response.result_int());
    if (status < 200 || status > 299) {
        return Error(ErrorKind::refused, fmt::format("{} answered {}: {}", question.url, status, response.body()))
            .with_status(status);
    }
    return response.body();
}

Result<std::string> pick_field(const std::string& json, const std::string& path)
{
    auto parsed = parse_json(json);
    if (!parsed) {
        return std::move(parsed).error();
    }
    const auto* value = &*parsed;
    std::size_t begin = 0;
    while (value != nullptr && begin <= path.size()) {
        const auto end = std::min(path.find('.', begin), path.size());
        const auto key = path.substr(begin, end - begin);
        std::size_t index = 0;
        if (value->is(Json::Type::array)) {
            const bool is_number = std::from_chars(key.data(), key.data() + key.size(), index).ec == std::errc();
            value = is_number && index < value->items.size() ? &value->items[index] : nullptr;
        } else {
            value = value->find(key);
        }
        begin = end + 1;
    }
    if (value == nullptr) {
        return Error(ErrorKind::not_found, "the answer has no field " + path);
    }
    return value->is(Json::Type::string) ? value->text : to_text(*value);
}

}  // namespace shelfd::sim
