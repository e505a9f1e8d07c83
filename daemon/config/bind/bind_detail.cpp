#include "config/bind/bind_detail.hpp"

#include "config/bind/bind_library.hpp"
#include "config/check/address.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace shelfd::config {
namespace {

constexpr const char* example = R"(detail = { url_field = "url" } or { path = "/api/v2/library/recipes/{id}/" })";

std::string with(std::string path, const std::string& name, const std::string& value)
{
    const auto mark = "{" + name + "}";
    for (auto at = path.find(mark); at != std::string::npos; at = path.find(mark, at + value.size())) {
        path.replace(at, mark.size(), value);
    }
    return path;
}

// Members of the key keep their braces; every other name is replaced by the library's value.
void read_template(const Node& node, const Library& library, Resource& resource, FaultList& faults)
{
    auto names = library;
    for (const auto& member : resource.row_key()) {
        names.vars[member] = "{" + member + "}";
    }
    const auto filled = fill_in(node.text, names, node.position, faults);
    if (!filled) {
        return;
    }
    auto sample = *filled;
    for (const auto& member : resource.row_key()) {
        sample = with(std::move(sample), member, "1");
    }
    if (sample == *filled) {
        faults.add(
            node.position,
            fmt::format("the path of detail must contain {{{}}}, otherwise every item of {} has the same address",
                        resource.key.front(), resource.name));
    } else if (sample.find_first_of("{}") != std::string::npos) {
        faults.add(node.position, "the path of detail may contain braces only as {name}");
    } else if (const auto fits = check_route(sample); !fits) {
        faults.add(node.position,
                   fmt::format("the path of detail, filled in for library {}, {}", library.name, fits.error().text()));
    }
    resource.detail->path = *filled;
}

}  // namespace

void bind_detail(const Reader& reader, const Library& library, Resource& resource, FaultList& faults)
{
    const auto* node = reader.take("detail");
    if (node == nullptr || node->faulty) {
        return;
    }
    auto& detail = resource.detail.emplace();
    const Reader inner({node}, "", nullptr);
    inner.read("url_field", detail.url_field);
    inner.read("refresh_within", detail.refresh_within);
    const auto* path = node->find("path");
    if ((path == nullptr) == detail.url_field.empty()) {
        faults.add(node->position, fmt::format("detail needs either url_field or path: {}", example));
    } else if (path != nullptr) {
        read_template(*path, library, resource, faults);
    }
    if (resource.answers == Answers::object) {
        faults.add(node->key_position,
                   fmt::format("detail needs a list, but {} answers with one object: remove detail", resource.name));
    }
    const auto excluded = std::find(resource.exclude.begin(), resource.exclude.end(), detail.url_field);
    if (excluded != resource.exclude.end()) {
        faults.add(node->position, fmt::format("{} is excluded, so the details of {} have no address: use path instead",
                                               detail.url_field, resource.name));
    }
}

}  // namespace shelfd::config
