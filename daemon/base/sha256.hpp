// SHA-256 (FIPS 180-4): checksums of stored records, and fingerprints that name a token without revealing it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace shelfd {

using Digest = std::array<std::byte, 32>;

// Takes input in pieces of any size. Call `finish()` once; the object cannot be used after it. Wipes its block when
// destroyed.
class Sha256 {
public:
    Sha256();
    ~Sha256();
    Sha256(const Sha256&) = delete;
    Sha256& operator=(const Sha256&) = delete;

    void update(std::span<const std::byte> bytes);
    void update(std::string_view text) { update(std::as_bytes(std::span(text.data(), text.size()))); }
    Digest finish();

private:
    void compress(const std::byte* block);

    std::array<std::uint32_t, 8> state_;
    std::array<std::byte, 64> block_{};
    std::size_t filled_ = 0;
    std::uint64_t total_ = 0;
};

Digest sha256(std::span<const std::byte> bytes);
Digest sha256(std::string_view text);

// Lower-case hexadecimal.
std::string to_hex(std::span<const std::byte> bytes);

}  // namespace shelfd
