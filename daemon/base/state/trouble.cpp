#include "base/state/trouble.hpp"

#include "base/state/word_table.hpp"

namespace shelfd {
namespace {

constexpr std::array<const char*, 6> words = {"none",         "passing",       "forbidden",
                                              "needs_person", "wrong_library", "storage"};

}  // namespace

const char* to_string(Trouble trouble)
{
    return words[static_cast<std::size_t>(trouble)];
}

std::optional<Trouble> parse_trouble(std::string_view word)
{
    return find_word<Trouble>(words, word);
}

}  // namespace shelfd
