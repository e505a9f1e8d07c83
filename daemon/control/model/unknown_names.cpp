#include "control/model/unknown_names.hpp"

#include "base/words/names.hpp"

#include <fmt/format.h>

namespace shelfd::control {

Error unknown_library(const std::string& name, std::vector<std::string> known)
{
    const auto next = "after adding it to the configuration, type: shelfctl reload";
    return Error(ErrorKind::not_found, fmt::format("there is no library {} (known: {}); {}", name,
                                                   list_nearest_first(name, std::move(known)), next));
}

Error unknown_table(const std::string& library, const std::string& name, std::vector<std::string> known)
{
    return Error(ErrorKind::not_found,
                 fmt::format("library {0} has no table {1} (it has: {2}); all of them: shelfctl status {0}", library,
                             name, list_nearest_first(name, std::move(known))));
}

}  // namespace shelfd::control
