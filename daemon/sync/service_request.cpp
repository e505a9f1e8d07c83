#include "sync/service_request.hpp"

namespace shelfd::sync {

http::Request service_request(const LibraryContext& context, const std::string& target)
{
    const auto& service = context.library.service;
    http::Request request;
    request.url = service.base_url + target;
    for (const auto& [name, value] : service.headers) {
        request.headers.push_back({name, value});
    }
    request.timeouts = {service.connect_timeout, service.idle_timeout, service.total_timeout};
    request.route.proxy = service.proxy;
    request.route.ca_file = service.ca_file;
    request.max_body = service.max_body;
    return request;
}

}  // namespace shelfd::sync
