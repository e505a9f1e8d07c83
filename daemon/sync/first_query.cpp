#include "sync/first_query.hpp"

#include "http/url.hpp"

namespace shelfd::sync {

std::string first_query(const config::Library& library, const config::Resource& resource)
{
    auto params = library.service.params;
    for (const auto& [name, value] : resource.params) {
        params[name] = value;
    }
    params[library.service.page_size_param] = std::to_string(library.service.page_size);
    if (!resource.ordering.empty()) {
        params[library.service.ordering_param] = resource.ordering;
    }
    http::Params query;
    for (const auto& [name, value] : params) {
        query.push_back({name, value});
    }
    return http::format_query(query);
}

}  // namespace shelfd::sync
