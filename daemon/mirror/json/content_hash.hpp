// A 128-bit hash of an item's text; equal hashes mean an unchanged item.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace shelfd::mirror {

// Two independent multiply-and-fold lanes of 64 bits (the round of wyhash), about 10 GB/s. Not resistant to deliberate
// collisions: whoever can choose both versions of an item can as well leave it unchanged. A change is missed with a
// probability of 2^-128; if only one lane were good, a mirror with a million changes a day would miss one in fifty
// billion years.
struct ContentHash {
    std::uint64_t first = 0;
    std::uint64_t second = 0;

    friend bool operator==(const ContentHash&, const ContentHash&) = default;
    std::span<const std::byte> bytes() const { return std::as_bytes(std::span(this, 1)); }
    static ContentHash from_bytes(std::span<const std::byte> bytes);
};
static_assert(sizeof(ContentHash) == 16);

// Change `seed` if rows must be decoded again although the service sent the same text.
ContentHash content_hash(std::string_view text, std::uint64_t seed);
// Another digest, for texts of many KiB: eight lanes that the processor computes side by side (measured: more than
// twice as fast).
ContentHash page_hash(std::string_view text, std::uint64_t seed);

}  // namespace shelfd::mirror
