#include "sim_wire/raw_client.hpp"

#include "sim/json.hpp"
#include "sim/message.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/write.hpp>
#include <boost/system/system_error.hpp>

#include <fmt/format.h>

#include <array>
#include <stdexcept>

namespace shelfd::sim {

namespace asio = boost::asio;

namespace {

std::string with_masked_date(std::string head)
{
    constexpr std::string_view name = "\r\nDate: ";
    const auto at = head.find(name);
    if (at == std::string::npos) {
        return head;
    }
    const auto begin = at + name.size();
    const auto end = head.find("\r\n", begin);
    // Masked only if it is a date: a wrong one shows up in the comparison.
    if (Instant::from_http_date(std::string_view(head).substr(begin, end - begin))) {
        head.replace(begin, end - begin, "<date>");
    }
    return head;
}

}  // namespace

int RawAnswer::status() const
{
    return head.size() > 12 ? std::stoi(head.substr(9, 3)) : 0;
}

std::string RawAnswer::header(std::string_view name) const
{
    const auto line = fmt::format("\r\n{}: ", name);
    const auto at = head.find(line);
    if (at == std::string::npos) {
        return "";
    }
    const auto begin = at + line.size();
    return head.substr(begin, head.find("\r\n", begin) - begin);
}

RawClient::RawClient(const Server& server) : socket_(loop_)
{
    socket_.connect({asio::ip::make_address("127.0.0.1"), server.port()});
}

void RawClient::send(std::string_view bytes)
{
    asio::write(socket_, asio::buffer(bytes));
}

std::string RawClient::read_head()
{
    while (buffer_.find("\r\n\r\n") == std::string::npos) {
        std::array<char, 8192> piece;
        const auto size = socket_.read_some(asio::buffer(piece));
        buffer_.append(piece.data(), size);
    }
    const auto end = buffer_.find("\r\n\r\n") + 4;
    auto head = buffer_.substr(0, end);
    buffer_.erase(0, end);
    return with_masked_date(std::move(head));
}

RawAnswer RawClient::receive_head()
{
    return {read_head(), ""};
}

RawAnswer RawClient::receive()
{
    RawAnswer answer{read_head(), ""};
    const auto length = answer.header("Content-Length");
    if (length.empty()) {
        throw std::logic_error("an answer without Content-Length:\n" + answer.head);
    }
    const auto size = std::stoul(length);
    while (buffer_.size() < size) {
        std::array<char, 8192> piece;
        const auto arrived = socket_.read_some(asio::buffer(piece));
        buffer_.append(piece.data(), arrived);
    }
    answer.body = buffer_.substr(0, size);
    buffer_.erase(0, size);
    return answer;
}

std::string RawClient::receive_until_end()
{
    boost::system::error_code error;
    while (!error) {
        std::array<char, 8192> piece;
        const auto arrived = socket_.read_some(asio::buffer(piece), error);
        buffer_.append(piece.data(), arrived);
    }
    reset_ = error == asio::error::connection_reset;
    return std::exchange(buffer_, {});
}

std::string request(std::string_view method, std::string_view target, const std::vector<std::string>& headers,
                    std::string_view body)
{
    auto text = fmt::format("{} {} HTTP/1.1\r\nHost: api.example.com\r\n", method, target);
    for (const auto& header : headers) {
        text += header + "\r\n";
    }
    if (method == "POST") {
        text += fmt::format("Content-Length: {}\r\n", body.size());
    }
    return text + "\r\n" + std::string(body);
}

std::string get(std::string_view target, const std::vector<std::string>& headers)
{
    return request("GET", target, headers, "");
}

std::string post_form(std::string_view target, std::string_view form, const std::vector<std::string>& headers)
{
    auto all = headers;
    all.emplace_back("Content-Type: application/x-www-form-urlencoded");
    return request("POST", target, all, form);
}

std::string bearer(std::string_view token)
{
    return fmt::format("Authorization: Bearer {}", token);
}

RawAnswer answer_to(const Server& server, std::string_view request)
{
    RawClient client(server);
    client.send(request);
    return client.receive();
}

std::string expected(std::string_view status_line, std::string_view content_type, std::string_view body,
                     const std::vector<std::string>& headers)
{
    auto text = fmt::format("HTTP/1.1 {}\r\nServer: nginx/1.22.1\r\nDate: <date>\r\nContent-Type: {}\r\n"
                            "Content-Length: {}\r\nConnection: keep-alive\r\n",
                            status_line, content_type, body.size());
    for (const auto& header : headers) {
        text += header + "\r\n";
    }
    return text + "\r\n" + std::string(body);
}

std::string member(std::string_view json, std::string_view key)
{
    const auto parsed = parse_json(json);
    const auto* found = parsed ? parsed->find(key) : nullptr;
    if (found == nullptr) {
        throw std::logic_error(fmt::format("no member {} in {}", key, json));
    }
    return found->is(Json::Type::string) ? found->text : to_text(*found);
}

}  // namespace shelfd::sim
