#include "sync/service/item_address.hpp"

#include "http/url.hpp"
#include "mirror/json/item_key.hpp"

#include <fmt/core.h>

namespace shelfd::sync {
namespace {

std::string text_of(const mirror::KeyPart& part)
{
    return part.is_text ? part.text : std::to_string(part.integer);
}

Result<std::string> from_template(const config::Resource& resource, const std::string& json)
{
    const auto key = mirror::read_key(json);
    const auto members = resource.row_key();
    if (!key || key->size() != members.size()) {
        return Error(ErrorKind::protocol, fmt::format("{} is not a key of {}", json, resource.name));
    }
    auto path = resource.detail->path;
    bool is_whole = true;
    for (std::size_t i = 0; i < members.size(); ++i) {
        const auto mark = "{" + members[i] + "}";
        const auto value = http::percent_encode(text_of((*key)[i]));
        is_whole = is_whole && (!value.empty() || path.find(mark) == std::string::npos);
        for (auto at = path.find(mark); at != std::string::npos; at = path.find(mark, at + value.size())) {
            path.replace(at, mark.size(), value);
        }
    }
    // An item's address without its last segment is often that of the list.
    if (!is_whole || http::has_dot_segment(path)) {
        return Error(ErrorKind::protocol,
                     fmt::format("with its key, the address is {}, the address of another page", path));
    }
    return path;
}

std::string target_of(const http::Url& url)
{
    return url.path + (url.query.empty() ? "" : "?" + url.query);
}

Result<std::string> from_row(const config::Library& library, const std::string& member, const std::string& text)
{
    if (text.empty()) {
        return Error(ErrorKind::protocol, fmt::format("the list has no address for it in \"{}\"", member));
    }
    const bool is_path = text.starts_with('/') && !text.starts_with("//");
    const auto base = http::parse_url(library.service.base_url);
    const auto address = http::parse_url(is_path ? library.service.base_url + text : text);
    if (!base || !address) {
        return Error(ErrorKind::protocol, fmt::format("its \"{}\" is not an address", member));
    }
    if (address->origin != base->origin) {
        return Error(ErrorKind::protocol, fmt::format("its \"{}\" is an address at {}, where no token is sent", member,
                                                      address->origin.text()));
    }
    return target_of(*address);
}

// http instead of https, at the same host and the same port, or both at the port of their scheme.
bool is_plain_name_of(const http::Origin& theirs, const http::Origin& ours)
{
    const bool is_port_ours = theirs.port == ours.port || (theirs.port == 80 && ours.port == 443);
    return ours.scheme == "https" && theirs.scheme == "http" && theirs.host == ours.host && is_port_ours;
}

}  // namespace

std::string with_fixed_params(const config::Library& library, const std::string& path)
{
    if (library.service.params.empty()) {
        return path;
    }
    http::Params fixed;
    for (const auto& [name, value] : library.service.params) {
        fixed.push_back({name, value});
    }
    const auto query = path.find('?');
    const auto asked = query == std::string::npos ? http::Params() : http::parse_query(path.substr(query + 1));
    return path.substr(0, query) + "?" + http::format_query(http::merge_params(asked, fixed));
}

Result<std::string> detail_target(const config::Library& library, const config::Resource& resource,
                                  const mirror::DetailItem& item)
{
    const auto& detail = *resource.detail;
    SHELFD_TRY_ASSIGN(target, detail.path.empty() ? from_row(library, detail.url_field, item.address)
                                                  : from_template(resource, item.key));
    return with_fixed_params(library, target);
}

Result<std::string> item_target(const config::Library& library, const config::Resource& resource,
                                const std::string& key, const std::string& address)
{
    // A path in a member that the configuration does not name may be a page for people.
    const bool is_named = resource.detail && !resource.detail->url_field.empty();
    const bool is_whole = !address.starts_with('/');
    auto target = from_row(library, address_members(resource).front(), is_named || is_whole ? address : "");
    if (!target && resource.detail && !resource.detail->path.empty()) {
        target = from_template(resource, key);
    }
    return target ? Result<std::string>(with_fixed_params(library, *target)) : std::move(target).error();
}

Result<WitnessTarget> witness_target(const config::Library& library, const config::Resource& resource,
                                     const std::string& key, const std::string& address)
{
    auto own = item_target(library, resource, key, address);
    if (own) {
        return WitnessTarget{std::move(*own)};
    }
    const auto base = http::parse_url(library.service.base_url);
    const auto url = http::parse_url(address);
    if (base && url && is_plain_name_of(url->origin, base->origin)) {
        return WitnessTarget{with_fixed_params(library, target_of(*url)), false};
    }
    return std::move(own).error();
}

std::vector<std::string> address_members(const config::Resource& resource)
{
    const auto named = resource.detail ? resource.detail->url_field : "";
    return named.empty() || named == "url" ? std::vector<std::string>{"url"} : std::vector<std::string>{named, "url"};
}

}  // namespace shelfd::sync
