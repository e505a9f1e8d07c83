// The query that leads to the next page, as far as it can be read. A first byte of 0 says that the rest is what stands
// inside a cursor, so that base64 need not be found by chance.
#include "sync/service/cursor_key.hpp"
#include "fuzz/input.hpp"
#include "http/url.hpp"

#include <optional>
#include <string>

using namespace shelfd;
using fuzz::promise;

namespace {

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// RFC 4648 section 4, by digits of two: slow, and nothing like the daemon's reader.
std::string bits_of(std::string_view text, std::size_t width)
{
    std::string bits;
    for (const char c : text) {
        const auto value = width == 8 ? static_cast<unsigned char>(c) : alphabet.find(c);
        for (auto bit = width; bit-- > 0;) {
            bits += (value >> bit & 1U) != 0 ? '1' : '0';
        }
    }
    return bits;
}

std::string to_base64(std::string_view bytes)
{
    auto bits = bits_of(bytes, 8);
    bits.append((6 - bits.size() % 6) % 6, '0');
    std::string text;
    for (std::size_t at = 0; at < bits.size(); at += 6) {
        text += alphabet[std::stoul(bits.substr(at, 6), nullptr, 2)];
    }
    return text.append((4 - text.size() % 4) % 4, '=');
}

std::string from_base64(std::string_view text)
{
    const auto bits = bits_of(text.substr(0, text.find('=')), 6);
    std::string bytes;
    for (std::size_t at = 0; at + 8 <= bits.size(); at += 8) {
        bytes += static_cast<char>(std::stoul(bits.substr(at, 8), nullptr, 2));
    }
    return bytes;
}

bool is_base64(std::string_view text)
{
    const auto letters = text.substr(0, text.find('='));
    return letters.find_first_not_of(alphabet) == letters.npos && to_base64(from_base64(text)) == text;
}

std::string as_cursor(std::string_view inside)
{
    return "page_size=2&cursor=" + http::percent_encode(to_base64(inside));
}

// Which parameters are cursors with a place.
std::size_t cursors_in(std::string_view query)
{
    std::size_t found = 0;
    for (const auto& param : http::parse_query(query)) {
        found += is_base64(param.value) && from_base64(param.value).starts_with("p=") ? 1U : 0U;
    }
    return found;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size == 0) {
        return 0;
    }
    const auto text = fuzz::text_of(data + 1, size - 1);
    const auto query = data[0] == 0 ? as_cursor(text) : std::string(text);
    const auto key = sync::cursor_key(query);
    promise(!key || cursors_in(query) == 1, "a key is that of the only cursor");
    promise(sync::cursor_key("page_size=7&" + query + "&ordering=-id") == key, "what is no cursor does not matter");
    if (!key) {
        return 0;
    }
    const auto written = as_cursor("p=" + std::to_string(*key));
    promise(sync::cursor_key(written) == key, "a key is written and read as the same");
    promise(!sync::cursor_key(query + "&" + written), "two cursors are none");
    promise(!sync::cursor_key(as_cursor("o=1&p=" + std::to_string(*key))), "a cursor that passes rows over is none");
    promise(!sync::cursor_key(as_cursor("p=" + std::to_string(*key) + "&r=1")), "nor is one that goes backwards");
    return 0;
}
