#include "mirror/columns/key_sets.hpp"

#include "mirror/json/object.hpp"
#include "mirror/json/text.hpp"
#include "storage/query.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace shelfd::mirror {

namespace {

std::string identity_of(std::vector<std::string> keys)
{
    std::sort(keys.begin(), keys.end());
    return write_keys(keys);
}

}  // namespace

std::string write_keys(const std::vector<std::string>& keys)
{
    std::string out = "[";
    for (const auto& key : keys) {
        out += out.size() > 1 ? "," : "";
        append_quoted(out, key);
    }
    return out += "]";
}

std::optional<std::vector<std::string>> read_keys(std::string_view json)
{
    if (json.size() < 2 || json.front() != '[' || check_value(json) != nullptr) {
        return std::nullopt;
    }
    std::vector<std::string> keys;
    // The array is valid and contains only strings that we wrote: an unescaped quote ends each.
    for (std::size_t at = 1; at + 1 < json.size();) {
        if (json[at] != '"') {
            return std::nullopt;
        }
        std::size_t end = at + 1;
        while (json[end] != '"') {
            end += json[end] == '\\' ? 2 : 1;
        }
        unescape(json.substr(at + 1, end - at - 1), keys.emplace_back());
        at = end + 2;
    }
    return keys;
}

Result<KeySets> KeySets::load(storage::Database& database, const std::string& resource)
{
    KeySets shapes;
    const auto add = [&](const storage::Statement& row) -> Result<void> {
        auto keys = read_keys(row.text(1));
        if (!keys) {
            return Error(ErrorKind::corrupt, fmt::format("_shapes of {} contains no list of keys", resource));
        }
        shapes.numbers_.emplace(identity_of(std::move(*keys)), row.integer(0));
        shapes.last_ = std::max(shapes.last_, row.integer(0));
        return {};
    };
    SHELFD_TRY(storage::each_row(database, "SELECT shape, keys FROM _shapes WHERE resource = ?", add, resource));
    return shapes;
}

std::optional<std::int64_t> KeySets::number_of(const std::vector<std::string>& keys)
{
    auto identity = identity_of(keys);
    const auto found = numbers_.find(identity);
    if (found != numbers_.end()) {
        return found->second;
    }
    if (numbers_.size() >= max_shapes) {
        return std::nullopt;
    }
    ++last_;
    numbers_.emplace(std::move(identity), last_);
    fresh_.push_back({last_, write_keys(keys)});
    return last_;
}

}  // namespace shelfd::mirror
