#include "mirror/json/content_hash.hpp"
#include "support/catch.hpp"

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>

namespace shelfd::mirror {
namespace {

std::pair<std::uint64_t, std::uint64_t> pair_of(const ContentHash& hash)
{
    return {hash.first, hash.second};
}

// No two neighbouring blocks are equal.
std::string text_of(std::size_t size)
{
    std::string text;
    for (std::size_t at = 0; at < size; ++at) {
        text += static_cast<char>('a' + (at + at / 16) % 23);
    }
    return text;
}

TEST_CASE("the hash of an item, which mirrors store, is the same in each version")
{
    const auto hash = content_hash(R"({"id":1,"name":"Waterzooi","price":"18.50"})", 3);
    CHECK(hash == ContentHash{0x29a2990d4283a077U, 0x68937aeaed878818U});
}

TEST_CASE("texts that differ in a byte, in their order or in their length have different hashes")
{
    for (const auto hash_of : {&content_hash, &page_hash}) {
        for (const std::size_t size : {1U, 15U, 16U, 127U, 128U, 129U, 300U, 1024U}) {
            const auto text = text_of(size);
            CHECK(hash_of(text, 7) == hash_of(std::string(text), 7));
            std::set<std::pair<std::uint64_t, std::uint64_t>> met = {pair_of(hash_of(text, 7))};
            met.insert(pair_of(hash_of(text, 8)));
            met.insert(pair_of(hash_of(text + '\0', 7)));
            met.insert(pair_of(hash_of('\0' + text, 7)));
            for (std::size_t at = 0; at < size; ++at) {
                auto other = text;
                other[at] ^= 1;
                met.insert(pair_of(hash_of(other, 7)));
            }
            std::size_t swaps = 0;
            for (std::size_t at = 0; at + 32 <= size; at += 16, ++swaps) {
                const auto blocks = text.substr(at + 16, 16) + text.substr(at, 16);
                met.insert(pair_of(hash_of(std::string(text).replace(at, 32, blocks), 7)));
            }
            CHECK(met.size() == 4 + size + swaps);
        }
    }
}

}  // namespace
}  // namespace shelfd::mirror
