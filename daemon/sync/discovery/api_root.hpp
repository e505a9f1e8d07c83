// The addresses in the answer of an API's root.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shelfd::sync {

struct RootEntry {
    std::string name;
    std::string path;  // without a query
};

// Reads {"recipes": "https://…/recipes/", …}, as Django REST Framework answers, also below "_links" or with {"href": …}
// (HAL), and entries that are nested. Of an address at another host only the path counts, if it begins with `root`: a
// service behind a proxy names the wrong host. At most 300 entries; empty if the text is something else.
std::vector<RootEntry> read_api_root(std::string_view body, const std::string& root, const std::string& base_url);

}  // namespace shelfd::sync
