#include "mirror_comparison.hpp"

#include "mirror/mirror.hpp"
#include "runtime/async/clock.hpp"
#include "support/catch.hpp"
#include "support/json_tree.hpp"

namespace shelfd {

std::map<std::int64_t, std::string> items_at(sim::Server& service, const std::string& path)
{
    std::map<std::int64_t, std::string> items;
    auto world = service.world();
    auto* list = world->find_list(world->library("lib01"), path);
    for (const auto* row : list->ordered({})) {
        row->append_to(items[row->id], service.url());
    }
    return items;
}

std::size_t differing_rows(Site& site, const std::string& resource, const std::map<std::int64_t, std::string>& items)
{
    SystemClock clock;
    mirror::Mirror mirror({.directory = site.directory() / "mirrors/antwerp", .library = "antwerp", .clock = clock});
    std::size_t differing = 0;
    for (const auto& [id, sent] : items) {
        const auto rebuilt = must(mirror.item(resource, std::to_string(id)));
        if (!rebuilt || !equal_items(sent, *rebuilt)) {
            ++differing;
            UNSCOPED_INFO("sent    " << sent << "\nrebuilt " << rebuilt.value_or("(no row)"));
        }
    }
    return differing;
}

}  // namespace shelfd
