#include "oauth/journal/former_names.hpp"

#include "base/regular_file.hpp"
#include "storage/filesystem.hpp"

#include <algorithm>
#include <sstream>

namespace shelfd::oauth {
namespace {

constexpr std::size_t largest_file = 64u << 10;

std::string path_in(const std::string& directory)
{
    return directory + "/former_names";
}

}  // namespace

std::vector<std::string> read_former_names(const std::string& directory)
{
    std::vector<std::string> names;
    std::istringstream lines(read_regular_file(path_in(directory), largest_file).value_or(""));
    for (std::string line; std::getline(lines, line);) {
        if (!line.empty()) {
            names.push_back(line);
        }
    }
    return names;
}

Result<void> add_former_name(const std::string& directory, const std::string& name)
{
    auto names = read_former_names(directory);
    if (std::find(names.begin(), names.end(), name) != names.end()) {
        return {};
    }
    names.push_back(name);
    std::string text;
    for (const auto& one : names) {
        text += one + '\n';
    }
    return storage::replace_file(path_in(directory), text, {.durability = storage::Durability::disk});
}

}  // namespace shelfd::oauth
