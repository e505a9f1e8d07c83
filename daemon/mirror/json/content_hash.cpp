#include "mirror/json/content_hash.hpp"

#include <cstring>

namespace shelfd::mirror {

namespace {

__extension__ typedef unsigned __int128 Wide;

// Arbitrary odd constants (digits of pi).
constexpr std::uint64_t salt_a = 0x243f6a8885a308d3U;
constexpr std::uint64_t salt_b = 0x13198a2e03707345U;
constexpr std::uint64_t salt_c = 0xa4093822299f31d1U;
constexpr std::uint64_t salt_d = 0x082efa98ec4e6c89U;

std::uint64_t fold(std::uint64_t a, std::uint64_t b)
{
    const Wide product = static_cast<Wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

std::uint64_t read8(const char* at)
{
    std::uint64_t value = 0;
    std::memcpy(&value, at, 8);
    return value;
}

}  // namespace

ContentHash content_hash(std::string_view text, std::uint64_t seed)
{
    std::uint64_t first = seed ^ salt_a;
    std::uint64_t second = ~seed ^ salt_c;
    const auto round = [&](const char* at) {
        const std::uint64_t low = read8(at);
        const std::uint64_t high = read8(at + 8);
        first = fold(low ^ salt_b, high ^ first);
        second = fold(high ^ salt_d, low ^ second);
    };
    std::size_t at = 0;
    for (; at + 16 <= text.size(); at += 16) {
        round(text.data() + at);
    }
    std::array<char, 16> tail{};
    std::memcpy(tail.data(), text.data() + at, text.size() - at);
    round(tail.data());
    const auto size = static_cast<std::uint64_t>(text.size());
    return {fold(first ^ size, salt_d ^ second), fold(second ^ size, salt_b ^ first)};
}

ContentHash ContentHash::from_bytes(std::span<const std::byte> bytes)
{
    ContentHash hash;
    if (bytes.size() == sizeof hash) {
        std::memcpy(&hash, bytes.data(), sizeof hash);
    }
    return hash;
}

}  // namespace shelfd::mirror
