#include "mirror/json/content_hash.hpp"

#include <cstring>
#include <iterator>
#include <string>

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

constexpr std::size_t block = 16;  // bytes

struct Chain {
    std::uint64_t first;
    std::uint64_t second;

    explicit Chain(std::uint64_t seed) : first(seed ^ salt_a), second(~seed ^ salt_c) {}
    void add(const char* at)
    {
        const std::uint64_t low = read8(at);
        const std::uint64_t high = read8(at + 8);
        first = fold(low ^ salt_b, high ^ first);
        second = fold(high ^ salt_d, low ^ second);
    }
};

// One of several side by side: 64 bits are enough for a part of a page, at half of the work.
struct Lane {
    std::uint64_t state;
    std::uint64_t key;

    explicit Lane(std::uint64_t seed) : state(seed ^ salt_a), key(fold(~seed ^ salt_c, salt_d)) {}
    void add(const char* at) { state = fold(read8(at) ^ key, read8(at + 8) ^ state); }
};

}  // namespace

ContentHash content_hash(std::string_view text, std::uint64_t seed)
{
    Chain chain(seed);
    std::size_t at = 0;
    for (; at + block <= text.size(); at += block) {
        chain.add(text.data() + at);
    }
    std::array<char, block> tail{};
    std::memcpy(tail.data(), text.data() + at, text.size() - at);
    chain.add(tail.data());
    const auto size = static_cast<std::uint64_t>(text.size());
    return {fold(chain.first ^ size, salt_d ^ chain.second), fold(chain.second ^ size, salt_b ^ chain.first)};
}

ContentHash page_hash(std::string_view text, std::uint64_t seed)
{
    Lane lanes[] = {Lane(seed),     Lane(seed + 1), Lane(seed + 2), Lane(seed + 3),
                    Lane(seed + 4), Lane(seed + 5), Lane(seed + 6), Lane(seed + 7)};
    std::size_t at = 0;
    for (; at + block * std::size(lanes) <= text.size(); at += block * std::size(lanes)) {
        const char* place = text.data() + at;
        for (auto& lane : lanes) {
            lane.add(place);
            place += block;
        }
    }
    std::string rest(reinterpret_cast<const char*>(lanes), sizeof lanes);
    rest += text.substr(at);
    return content_hash(rest, seed ^ text.size());
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
