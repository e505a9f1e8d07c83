// Where one item is asked for by itself. The first byte chooses the service, the key's members and whether the service
// has fixed parameters; then, one line each: the path of details, the item's key (JSON), the item's own address.
#include "sync/service/item_address.hpp"
#include "config/check/address.hpp"
#include "fuzz/input.hpp"
#include "http/url.hpp"
#include "mirror/json/item_key.hpp"

#include <algorithm>
#include <array>
#include <string>

using namespace shelfd;
using namespace shelfd::sync;
using fuzz::promise;

namespace {

constexpr std::array<const char*, 3> origins = {"https://api.test", "http://127.0.0.1:8080", "https://[::1]:8443"};

struct Input {
    config::Library library;
    config::Resource resource;  // with details by path
    mirror::DetailItem item;
};

std::string filled_with_ones(std::string path, const std::vector<std::string>& members)
{
    for (const auto& member : members) {
        const auto mark = "{" + member + "}";
        for (auto at = path.find(mark); at != std::string::npos; at = path.find(mark)) {
            path.replace(at, mark.size(), "1");
        }
    }
    return path;
}

Input input_of(unsigned byte, std::string_view text)
{
    Input input;
    auto lines = fuzz::lines_of(text);
    lines.resize(3);
    input.library.name = "antwerp";
    input.library.service.base_url = origins[byte % 4 % origins.size()];
    if (byte / 4 % 2 != 0) {
        input.library.service.params = {{"format", "json"}, {"lang", "n l&1=#"}};
    }
    input.resource.name = "recipes";
    input.resource.key = byte / 8 % 2 == 0 ? std::vector<std::string>{"id"} : std::vector<std::string>{"outlet", "id"};
    input.resource.detail.emplace().path = lines[0];
    input.item.key = lines[1];
    input.item.address = lines[2];
    return input;
}

std::size_t slashes(std::string_view target)
{
    const auto path = target.substr(0, target.find('?'));
    return static_cast<std::size_t>(std::count(path.begin(), path.end(), '/'));
}

void check_target(const Input& input, const Result<std::string>& target)
{
    if (!target) {
        promise(target.error().kind() == ErrorKind::protocol && !target.error().text().empty(),
                "an item without an address has a reason");
        return;
    }
    const auto base = http::parse_url(input.library.service.base_url);
    const auto url = http::parse_url(input.library.service.base_url + *target);
    promise(base && url && url->origin == base->origin, "a token goes to our origin only");
    promise(url->path + (url->query.empty() ? "" : "?" + url->query) == *target,
            "what is asked for is all that is said");
    for (const auto& [name, value] : input.library.service.params) {
        std::vector<std::string> found;
        for (const auto& param : http::parse_query(url->query)) {
            if (param.name == name) {
                found.push_back(param.value);
            }
        }
        promise(found == std::vector<std::string>{value}, "a fixed parameter is there once, as it is");
    }
}

// Of addresses that a path gives.
void check_path(const Input& input, const std::string& target)
{
    const auto& path = input.resource.detail->path;
    const auto key = mirror::read_key(input.item.key);
    promise(key.has_value(), "a path is filled by a key");
    promise(slashes(target) == slashes(path), "a key adds no segment");
    promise(!http::has_dot_segment(target), "and no way up");
    promise(target.substr(0, target.find('?')).size() >= filled_with_ones(path, input.resource.row_key()).size(),
            "and no part of a key is empty");
    auto expected = path.substr(0, path.find('{'));
    promise(target.starts_with(expected), "what stands before the first brace stays");
    const auto members = input.resource.row_key();
    for (std::size_t i = 0; i < members.size(); ++i) {
        if (path != "/{" + members[i] + "}/") {
            continue;
        }
        const auto& part = (*key)[i];
        const auto segment = target.substr(1, target.find('/', 1) - 1);
        promise(segment.find('+') == std::string::npos && http::parse_query("k=" + segment).size() == 1 &&
                    http::parse_query("k=" + segment)[0].value ==
                        (part.is_text ? part.text : std::to_string(part.integer)),
                "a segment says the key");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size == 0) {
        return 0;
    }
    auto input = input_of(data[0], fuzz::text_of(data + 1, size - 1));
    auto& detail = *input.resource.detail;
    const auto sample = filled_with_ones(detail.path, input.resource.row_key());
    const bool has_path = sample != detail.path && sample.find_first_of("{}") == std::string::npos;
    if (has_path && config::check_route(sample)) {
        const auto by_path = detail_target(input.library, input.resource, input.item);
        check_target(input, by_path);
        if (by_path) {
            check_path(input, *by_path);
        }
        const auto own = item_target(input.library, input.resource, input.item.key, input.item.address);
        check_target(input, own);
        promise(own || !by_path, "an item that has a path of details has an address");
    }
    detail.path.clear();
    detail.url_field = "href";
    const auto by_row = detail_target(input.library, input.resource, input.item);
    check_target(input, by_row);
    const auto own = item_target(input.library, input.resource, input.item.key, input.item.address);
    promise(own.has_value() == by_row.has_value() && own.value_or("") == by_row.value_or(""),
            "an address that is named for it is the item's own");
    input.resource.detail.reset();
    const auto unnamed = item_target(input.library, input.resource, input.item.key, input.item.address);
    promise(!unnamed || !input.item.address.starts_with('/'), "a path that nobody named may be for people");
    check_target(input, unnamed);
    return 0;
}
