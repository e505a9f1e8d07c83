#include "sync/detail_address.hpp"

#include "http/url.hpp"
#include "mirror/item_key.hpp"

#include <fmt/core.h>

namespace shelfd::sync {
namespace {

std::string text_of(const mirror::KeyPart& part)
{
    return part.is_text ? part.text : std::to_string(part.integer);
}

Result<std::string> from_template(const config::Resource& resource, const mirror::DetailItem& item)
{
    const auto key = mirror::read_key(item.key);
    const auto members = resource.row_key();
    if (!key || key->size() != members.size()) {
        return Error(ErrorKind::protocol, fmt::format("{} is no key of {}", item.key, resource.name));
    }
    auto path = resource.detail->path;
    for (std::size_t i = 0; i < members.size(); ++i) {
        const auto mark = "{" + members[i] + "}";
        const auto value = http::percent_encode(text_of((*key)[i]));
        for (auto at = path.find(mark); at != std::string::npos; at = path.find(mark, at + value.size())) {
            path.replace(at, mark.size(), value);
        }
    }
    return path;
}

Result<std::string> from_row(const config::Library& library, const config::Resource& resource,
                             const mirror::DetailItem& item)
{
    const auto& member = resource.detail->url_field;
    if (item.address.empty()) {
        return Error(ErrorKind::protocol, fmt::format("the list gives it no address in \"{}\"", member));
    }
    const bool is_path = item.address.starts_with('/') && !item.address.starts_with("//");
    const auto base = http::parse_url(library.service.base_url);
    const auto address = http::parse_url(is_path ? library.service.base_url + item.address : item.address);
    if (!base || !address) {
        return Error(ErrorKind::protocol, fmt::format("its \"{}\" is no address", member));
    }
    if (address->origin != base->origin) {
        return Error(ErrorKind::protocol,
                     fmt::format("its \"{}\" leads to {}, where no token goes", member, address->origin.text()));
    }
    return address->path + (address->query.empty() ? "" : "?" + address->query);
}

}  // namespace

Result<std::string> detail_target(const config::Library& library, const config::Resource& resource,
                                  const mirror::DetailItem& item)
{
    auto target = resource.detail->path.empty() ? from_row(library, resource, item) : from_template(resource, item);
    if (!target || library.service.params.empty()) {
        return target;
    }
    http::Params fixed;
    for (const auto& [name, value] : library.service.params) {
        fixed.push_back({name, value});
    }
    const auto query = target->find('?');
    const auto asked = query == std::string::npos ? http::Params() : http::parse_query(target->substr(query + 1));
    return target->substr(0, query) + "?" + http::format_query(http::merge_params(asked, fixed));
}

}  // namespace shelfd::sync
