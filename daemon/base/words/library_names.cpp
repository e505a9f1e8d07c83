#include "base/words/library_names.hpp"

#include <fmt/format.h>

namespace shelfd {
namespace {

constexpr std::size_t width_of_names = 44;  // bytes, with ", " behind each

}  // namespace

std::string name_libraries(const std::vector<std::string>& names)
{
    auto text = names.front();
    auto width = text.size() + 2;
    std::size_t shown = 1;
    while (shown < names.size() && shown < named_libraries && width + names[shown].size() + 2 <= width_of_names) {
        width += names[shown].size() + 2;
        text += ", " + names[shown];
        ++shown;
    }
    const auto more = names.size() - shown;
    return more == 0 ? text : fmt::format("{} and {} more librar{}", text, more, more == 1 ? "y" : "ies");
}

}  // namespace shelfd
