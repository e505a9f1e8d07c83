#include "oauth/set/inflated.hpp"

#include "base/scope_exit.hpp"
#include "base/secret.hpp"
#include "base/text.hpp"

#include <zlib.h>

#include <algorithm>

namespace shelfd::oauth {
namespace {

constexpr int gzip_or_zlib = MAX_WBITS + 32;  // told apart by their headers
constexpr int headless = -MAX_WBITS;          // deflate alone, which some servers send by that name

// Leaves no copy of a secret behind when the text grows.
void append(std::string& text, std::string_view more)
{
    const auto size = text.size() + more.size();
    if (size > text.capacity()) {
        std::string larger;
        larger.reserve(2 * size);
        larger.append(text);
        text.swap(larger);
        Secret::wipe(larger);
    }
    text.append(more);
}

std::string inflate_as(int window_bits, std::string_view data, std::size_t most)
{
    z_stream stream = {};
    if (inflateInit2(&stream, window_bits) != Z_OK) {
        return "";
    }
    const ScopeExit end([&stream] { inflateEnd(&stream); });
    std::string in(data);  // zlib's pointer is not const
    stream.next_in = reinterpret_cast<Bytef*>(in.data());
    stream.avail_in = static_cast<uInt>(in.size());
    std::string out;
    std::string piece(4096, '\0');
    for (int result = Z_OK; result == Z_OK && out.size() < most;) {
        stream.next_out = reinterpret_cast<Bytef*>(piece.data());
        stream.avail_out = static_cast<uInt>(piece.size());
        result = inflate(&stream, Z_SYNC_FLUSH);
        if (const auto got = piece.size() - stream.avail_out; got > 0) {
            append(out, std::string_view(piece).substr(0, std::min(got, most - out.size())));
        }
        // Gzip data may have several members (RFC 1952, 2.2). Without headers, anything could be taken for another one.
        if (result == Z_STREAM_END && stream.avail_in > 0 && window_bits == gzip_or_zlib) {
            result = inflateReset(&stream);
        }
    }
    Secret::wipe(piece);
    Secret::wipe(in);
    return out;
}

// Text has no control characters but the spaces.
bool is_text(std::string_view data)
{
    return std::none_of(data.begin(), data.end(), [](char c) { return (c >= 0 && c < '\t') || (c > '\r' && c < ' '); });
}

// RFC 1952 section 2.3.1, RFC 1950 section 2.2.
bool has_header(std::string_view data)
{
    const auto byte = [data](std::size_t at) { return at < data.size() ? static_cast<unsigned char>(data[at]) : 0u; };
    const bool is_gzip = byte(0) == 0x1f && byte(1) == 0x8b;
    const bool is_zlib = (byte(0) & 0x0f) == Z_DEFLATED && (byte(0) << 8 | byte(1)) % 31 == 0;
    return is_gzip || is_zlib;
}

}  // namespace

std::string inflated(std::string_view data, std::size_t most)
{
    if (has_header(data)) {
        if (auto out = inflate_as(gzip_or_zlib, data, most); !out.empty()) {
            return out;
        }
    }
    // Most bytes say something if they are taken for deflate data.
    auto out = is_text(data) ? std::string() : inflate_as(headless, data, most);
    const bool names_tokens = is_text(out) && lower(out).find("token") != std::string::npos;
    if (!names_tokens) {
        Secret::wipe(out);
        out.clear();
    }
    return out;
}

}  // namespace shelfd::oauth
