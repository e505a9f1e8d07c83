// Sentences for people that end with what to do: "the service has no such list (404); check `path`".
#pragma once

#include <string>
#include <string_view>

namespace shelfd {

// `sentence` without `cure` at its end, and without what joins them, "; " or ": ". The same sentence if it does not end
// with `cure`, or if that is empty.
inline std::string without_cure(std::string_view sentence, std::string_view cure)
{
    constexpr std::size_t joint = 2;
    const bool ends_with_it = !cure.empty() && sentence.ends_with(cure) && sentence.size() >= cure.size() + joint;
    return std::string(sentence.substr(0, sentence.size() - (ends_with_it ? cure.size() + joint : 0)));
}

}  // namespace shelfd
