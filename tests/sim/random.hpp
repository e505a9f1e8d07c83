// Deterministic chance: the same seed gives the same rows and the same tokens on every machine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace shelfd::sim {

// SplitMix64 (Steele, Lea, Flood 2014). The standard's distributions may differ between libraries; this does not.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next()
    {
        std::uint64_t mixed = (state_ += 0x9e3779b97f4a7c15U);
        mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9U;
        mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebU;
        return mixed ^ (mixed >> 31);
    }
    // In [0, bound).
    std::uint64_t below(std::uint64_t bound) { return next() % bound; }
    bool one_in(std::uint64_t chances) { return below(chances) == 0; }

    // Letters and digits, as the token generator of oauthlib makes them.
    std::string word(std::size_t length)
    {
        static constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
        std::string text;
        while (text.size() < length) {
            text += letters[below(letters.size())];
        }
        return text;
    }

private:
    std::uint64_t state_;
};

// A seed of its own for each named thing (FNV-1a over the name, begun at the parent's seed).
inline std::uint64_t seed_for(std::uint64_t parent, std::string_view name)
{
    std::uint64_t hash = 0xcbf29ce484222325U ^ (parent * 0x9e3779b97f4a7c15U);
    for (const char byte : name) {
        hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3U;
    }
    return hash;
}

}  // namespace shelfd::sim
