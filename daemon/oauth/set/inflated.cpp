#include "oauth/set/inflated.hpp"

#include "base/scope_exit.hpp"
#include "base/secret.hpp"

#include <zlib.h>

#include <algorithm>

namespace shelfd::oauth {
namespace {

constexpr int gzip_or_zlib = MAX_WBITS + 32;  // told apart by their headers
constexpr int headless = -MAX_WBITS;          // deflate alone, which some servers send by that name

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
    out.reserve(most);  // so that no copy of a secret is left behind
    std::string piece(4096, '\0');
    for (int result = Z_OK; result == Z_OK && out.size() < most;) {
        stream.next_out = reinterpret_cast<Bytef*>(piece.data());
        stream.avail_out = static_cast<uInt>(piece.size());
        result = inflate(&stream, Z_SYNC_FLUSH);
        out.append(piece.data(), std::min(piece.size() - stream.avail_out, most - out.size()));
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

}  // namespace

std::string inflated(std::string_view data, std::size_t most)
{
    if (is_text(data)) {
        return "";
    }
    auto out = inflate_as(gzip_or_zlib, data, most);
    return out.empty() ? inflate_as(headless, data, most) : out;
}

}  // namespace shelfd::oauth
