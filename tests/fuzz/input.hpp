// What a fuzz target is given, and how it says that a promise was broken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace shelfd::fuzz {

// Ends the run where a promise does not hold: libFuzzer keeps the input. Nothing of it is printed here.
inline void promise(bool holds, const char* what)
{
    if (!holds) {
        std::fprintf(stderr, "broken promise: %s\n", what);
        std::abort();
    }
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size)
{
    return {static_cast<const char*>(static_cast<const void*>(data)), size};
}

inline std::vector<std::string_view> lines_of(std::string_view text)
{
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const auto end = text.find('\n');
        lines.push_back(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return lines;
}

// Whether `text` holds a piece of `input` that no text of ours has by itself: twelve characters without a blank, one of
// them a digit. For what must not be quoted.
inline bool quotes(std::string_view text, std::string_view input)
{
    constexpr std::size_t telling = 12;
    for (std::size_t at = 0; at + telling <= input.size(); ++at) {
        const auto piece = input.substr(at, telling);
        const bool tells = piece.find_first_of(" \t\r\n") == std::string_view::npos &&
                           piece.find_first_of("0123456789") != std::string_view::npos;
        if (tells && text.find(piece) != std::string_view::npos) {
            return true;
        }
    }
    return false;
}

}  // namespace shelfd::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
