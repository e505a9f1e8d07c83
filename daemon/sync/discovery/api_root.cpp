#include "sync/discovery/api_root.hpp"

#include "http/url.hpp"
#include "sync/discovery/json_view.hpp"

#include <algorithm>

namespace shelfd::sync {
namespace {

constexpr std::size_t max_entries = 300;
constexpr int max_depth = 3;

class Reader {
public:
    Reader(const std::string& root, const std::string& base_url) : root_(root), base_(http::parse_url(base_url)) {}

    void read(const JsonView& view, const std::string& prefix, int depth)
    {
        for (const auto& member : view.members()) {
            const auto key = JsonView::key_of(member);
            const auto name = key == "_links" || key == "href" ? prefix : prefix.empty() ? key : prefix + "." + key;
            if (member.type == mirror::JsonType::string) {
                add(name, JsonView::text_of(member));
            } else if (member.type == mirror::JsonType::object && depth < max_depth) {
                read(JsonView(member.value), name, depth + 1);
            }
        }
    }
    std::vector<RootEntry> take() { return std::move(entries_); }

private:
    void add(const std::string& name, const std::string& address)
    {
        const auto url = http::parse_url(address);
        const bool is_ours = url && base_ && url->origin == base_->origin;
        const bool is_path = !url && address.starts_with('/') && !address.starts_with("//");
        const auto path = url ? url->path : is_path ? address.substr(0, address.find_first_of("?#")) : "";
        const bool is_known =
            std::any_of(entries_.begin(), entries_.end(), [&path](const RootEntry& one) { return one.path == path; });
        if (path.empty() || path == root_ || path.find('{') != std::string::npos || is_known ||
            !(is_ours || is_path || path.starts_with(root_)) || entries_.size() == max_entries ||
            http::has_dot_segment(path)) {
            return;
        }
        entries_.push_back({name, path});
    }

    const std::string& root_;
    Result<http::Url> base_;
    std::vector<RootEntry> entries_;
};

}  // namespace

std::vector<RootEntry> read_api_root(std::string_view body, const std::string& root, const std::string& base_url)
{
    const JsonView view(body);
    // An item, or a page of a list, is no root.
    if (view.find("results") != nullptr || view.find("id") != nullptr) {
        return {};
    }
    Reader reader(root, base_url);
    reader.read(view, "", 0);
    return reader.take();
}

}  // namespace shelfd::sync
