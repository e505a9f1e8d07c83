// Which keys an item has: many items share a set of keys, and a row names the set by a number.
#pragma once

#include "base/result.hpp"
#include "storage/sqlite.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace shelfd::mirror {

// Items that leave out keys at random could have as many sets as rows. Beyond this many a row has no shape, and
// `_exact` holds all its members.
inline constexpr std::size_t max_shapes = 4096;

struct Shape {
    std::int64_t number = 0;
    std::string keys;  // JSON array, in the order of the first item that had them
};

// In memory only: publishing writes `fresh()`.
class KeySets {
public:
    static Result<KeySets> load(storage::Database& database, const std::string& resource);

    // The number of this set of distinct keys; nothing when there are too many sets.
    std::optional<std::int64_t> number_of(const std::vector<std::string>& keys);
    // Those that are not in `_shapes` yet.
    const std::vector<Shape>& fresh() const { return fresh_; }

private:
    std::unordered_map<std::string, std::int64_t> numbers_;  // by the sorted keys as JSON
    std::vector<Shape> fresh_;
    std::int64_t last_ = 0;
};

// The texts of a JSON array of strings, as `_shapes.keys` holds them; nothing if it is none.
std::optional<std::vector<std::string>> read_keys(std::string_view json);
std::string write_keys(const std::vector<std::string>& keys);

}  // namespace shelfd::mirror
