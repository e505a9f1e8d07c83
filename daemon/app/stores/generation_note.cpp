#include "app/stores/generation_note.hpp"

#include "base/regular_file.hpp"
#include "base/text.hpp"
#include "base/words/digits.hpp"
#include "storage/filesystem.hpp"

namespace shelfd::app {

std::uint64_t GenerationNote::read() const
{
    constexpr std::size_t largest = 32;
    if (path_.empty()) {
        return 0;
    }
    const auto text = read_regular_file(path_, largest);
    return text ? number_in(trimmed(*text)).value_or(0) : 0;
}

Result<void> GenerationNote::raise(std::uint64_t generation) const
{
    const bool is_news = !path_.empty() && generation > read();
    return is_news ? storage::replace_file(path_, std::to_string(generation) + "\n", {}) : Result<void>();
}

}  // namespace shelfd::app
