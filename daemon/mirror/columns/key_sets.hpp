// The sets of keys that items have. Many items share a set, so a row refers to it by number.
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

// Items that omit keys at random may have as many sets as rows. If this limit is reached, a row has no shape, and
// `_exact` has all its members.
inline constexpr std::size_t max_shapes = 4096;

struct Shape {
    std::int64_t number = 0;
    std::string keys;  // JSON array, in the order of the first item with this set
};

// In memory only; publishing stores `fresh()`.
class KeySets {
public:
    static Result<KeySets> load(storage::Database& database, const std::string& resource);

    // Returns the number of this set of distinct keys; an empty optional if there are too many sets.
    std::optional<std::int64_t> number_of(const std::vector<std::string>& keys);
    // The sets that are not in `_shapes` yet.
    const std::vector<Shape>& fresh() const { return fresh_; }

private:
    std::unordered_map<std::string, std::int64_t> numbers_;  // by the sorted keys as JSON
    std::vector<Shape> fresh_;
    std::int64_t last_ = 0;
};

// Parses a JSON array of strings as in `_shapes.keys`; returns an empty optional if it is not one.
std::optional<std::vector<std::string>> read_keys(std::string_view json);
std::string write_keys(const std::vector<std::string>& keys);

}  // namespace shelfd::mirror
