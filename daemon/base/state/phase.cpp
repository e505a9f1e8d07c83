#include "base/state/phase.hpp"

#include "base/state/word_table.hpp"

namespace shelfd {
namespace {

constexpr std::array<const char*, 8> words = {"identity",   "pages",   "closing", "witnesses",
                                              "publishing", "waiting", "details", "queued"};

}  // namespace

const char* to_string(Phase phase)
{
    return words[static_cast<std::size_t>(phase)];
}

std::optional<Phase> parse_phase(std::string_view word)
{
    return find_word<Phase>(words, word);
}

}  // namespace shelfd
