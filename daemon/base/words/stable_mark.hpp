// A short mark of a text, to tell texts apart.
#pragma once

#include <cstdint>
#include <string_view>

namespace shelfd {

// FNV-1a, 64 bits: stable across versions and machines, unlike std::hash. Not against deliberate collisions.
constexpr std::uint64_t stable_mark(std::string_view text)
{
    std::uint64_t mark = 14'695'981'039'346'656'037U;
    for (const char letter : text) {
        mark = (mark ^ static_cast<unsigned char>(letter)) * 1'099'511'628'211U;
    }
    return mark;
}

}  // namespace shelfd
