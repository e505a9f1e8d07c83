// 128 bits that stand for the bytes of an item: equal hashes, equal item.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace shelfd::mirror {

// Two independent multiply-and-fold lanes of 64 bits each (the round of wyhash), about 10 GB/s. No defence against
// somebody who searches for collisions: whoever can choose both versions of an item can as well leave it unchanged.
// By chance: a changed row is overlooked with odds of 2^-128; were only one lane any good, a mirror with a million
// changes a day would overlook one in fifty million years.
struct ContentHash {
    std::uint64_t first = 0;
    std::uint64_t second = 0;

    friend bool operator==(const ContentHash&, const ContentHash&) = default;
    std::span<const std::byte> bytes() const { return std::as_bytes(std::span(this, 1)); }
    static ContentHash from_bytes(std::span<const std::byte> bytes);
};
static_assert(sizeof(ContentHash) == 16);

// Another `seed` gives another hash: raise it when rows must be decoded anew though the service sent the same.
ContentHash content_hash(std::string_view text, std::uint64_t seed);

}  // namespace shelfd::mirror
