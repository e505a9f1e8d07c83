#include "base/words/library_names.hpp"

#include "base/words/names.hpp"

namespace shelfd {
namespace {

constexpr std::size_t width_of_names = 44;  // bytes, with ", " behind each

}  // namespace

std::string name_libraries(const std::vector<std::string>& names)
{
    auto width = names.front().size() + 2;
    std::size_t shown = 1;
    while (shown < names.size() && shown < named_libraries && width + names[shown].size() + 2 <= width_of_names) {
        width += names[shown].size() + 2;
        ++shown;
    }
    const auto more = names.size() - shown;
    return list_some(names, shown) + (more == 0 ? "" : more == 1 ? " library" : " libraries");
}

}  // namespace shelfd
