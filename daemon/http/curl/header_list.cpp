#include "http/curl/header_list.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <cstring>

#include <curl/curl.h>
#include <fmt/format.h>

namespace shelfd::http {
namespace {

bool is_one_line(std::string_view text)
{
    return std::none_of(text.begin(), text.end(), [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
}

std::string base64(std::string_view bytes)
{
    constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);  // no reallocation, so no stray copy of a secret
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t group = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
        }
        for (std::size_t k = 0; k < 4; ++k) {
            out += i + k > bytes.size() ? '=' : digits[group >> (18 - 6 * k) & 63];
        }
    }
    return out;
}

// In one piece of memory that never grows, so that no copy of a secret is left behind.
std::string joined(std::string_view front, std::string_view between, std::string_view end)
{
    std::string text;
    text.reserve(front.size() + between.size() + end.size());
    text.append(front).append(between).append(end);
    return text;
}

// "" if the request has no credentials.
std::string authorization(const Request& request)
{
    if (request.bearer) {
        return joined("Authorization", ": Bearer ", request.bearer->reveal());
    }
    if (!request.basic) {
        return "";
    }
    auto pair = joined(request.basic->first, ":", request.basic->second.reveal());
    auto encoded = base64(pair);
    auto line = joined("Authorization", ": Basic ", encoded);
    Secret::wipe(pair);
    Secret::wipe(encoded);
    return line;
}

}  // namespace

HeaderList::~HeaderList()
{
    auto* list = static_cast<curl_slist*>(lines_);
    for (auto* line = list; line != nullptr; line = line->next) {
        explicit_bzero(line->data, std::strlen(line->data));
    }
    curl_slist_free_all(list);
}

void HeaderList::append_to(std::string& text) const
{
    for (const auto* line = static_cast<const curl_slist*>(lines_); line != nullptr; line = line->next) {
        const std::string_view words(line->data);
        if (trimmed(words.substr(std::min(words.find(':'), words.size())), http_space).size() > 1) {
            text.append(words).append("\r\n");
        }
    }
}

std::size_t HeaderList::text_size() const
{
    std::size_t size = 0;
    for (const auto* line = static_cast<const curl_slist*>(lines_); line != nullptr; line = line->next) {
        size += std::strlen(line->data) + 2;
    }
    return size;
}

Result<void> HeaderList::add(std::string line)
{
    const bool fits = is_one_line(line);
    auto* longer = fits ? curl_slist_append(static_cast<curl_slist*>(lines_), line.c_str()) : nullptr;
    Secret::wipe(line);
    if (longer == nullptr) {
        const auto* why = fits ? "no memory for a header" : "a header or token contains a line break";
        return Error(ErrorKind::usage, why).with(Delivery::not_sent);
    }
    lines_ = longer;
    return {};
}

Result<void> HeaderList::fill(const Request& request)
{
    // With "Expect: 100-continue" libcurl may wait a second for a response that never comes.
    std::vector<std::string> lines = {"Expect:"};
    if (value_of(request.headers, "Accept").empty()) {
        lines.emplace_back("Accept: application/json");
    }
    if (value_of(request.headers, "Accept-Language").empty()) {
        lines.emplace_back("Accept-Language: en");
    }
    // Then the end of the connection is the end of the answer, whatever length it states.
    if (request.coding == Coding::as_sent) {
        lines.emplace_back("Connection: close");
    }
    for (const auto& header : request.headers) {
        lines.push_back(fmt::format("{}: {}", header.name, header.value));
    }
    for (auto& line : lines) {
        SHELFD_TRY(add(std::move(line)));
    }
    for (const auto& [name, value] : request.secret_headers) {
        SHELFD_TRY(add(joined(name, ": ", value.reveal())));
    }
    auto secret = authorization(request);
    return secret.empty() ? Result<void>() : add(std::move(secret));
}

}  // namespace shelfd::http
