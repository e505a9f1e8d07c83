// Finds the end of what a JSON string may hold as it is. For one source file: inline, because most strings are short.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif
#include <endian.h>

namespace shelfd::mirror {

#if defined(__SSE2__)
// The bits of those of sixteen bytes that are quotes, backslashes or control characters.
inline unsigned marks_in_sixteen(const char* at)
{
    const auto bytes = _mm_loadu_si128(static_cast<const __m128i*>(static_cast<const void*>(at)));
    const auto controls = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1f)), bytes);
    const auto quotes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
    const auto slashes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
    return static_cast<unsigned>(_mm_movemask_epi8(_mm_or_si128(controls, _mm_or_si128(quotes, slashes))));
}
#endif

// The same for eight bytes, by Mycroft's test for a zero byte: the lowest bit tells the first mark; higher ones may be
// wrong.
inline std::uint64_t marks_in_eight(const char* at)
{
    constexpr std::uint64_t ones = 0x0101010101010101U;
    constexpr std::uint64_t highs = 0x8080808080808080U;
    const auto has_zero = [](std::uint64_t v) { return (v - ones) & ~v & highs; };
    std::uint64_t word = 0;
    std::memcpy(&word, at, 8);
    word = le64toh(word);
    const std::uint64_t control = (word - ones * 0x20) & ~word & highs;
    return control | has_zero(word ^ ones * '"') | has_zero(word ^ ones * '\\');
}

// Returns the first quote, backslash or control character of the text; `end` if there is none.
inline const char* skip_plain(const char* at, const char* end)
{
#if defined(__SSE2__)
    for (; end - at >= 16; at += 16) {
        if (const auto marks = marks_in_sixteen(at); marks != 0) {
            return at + std::countr_zero(marks);
        }
    }
#endif
    for (; end - at >= 8; at += 8) {
        if (const auto marks = marks_in_eight(at); marks != 0) {
            return at + std::countr_zero(marks) / 8;
        }
    }
    while (at != end && *at != '"' && *at != '\\' && static_cast<unsigned char>(*at) >= 0x20) {
        ++at;
    }
    return at;
}

}  // namespace shelfd::mirror
