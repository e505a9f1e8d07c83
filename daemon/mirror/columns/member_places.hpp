// Where the members of items with one sequence of keys are stored: computed once for all such items.
#pragma once

#include "mirror/columns/columns.hpp"
#include "mirror/columns/key_sets.hpp"
#include "mirror/json/object.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace shelfd::mirror {

struct MemberPlaces {
    enum class Treatment : std::uint8_t {
        plain,       // in its column, and in `_exact` if the column cannot restore it
        twice,       // the last of several members with this key: in its column and in `_exact`
        exact_only,  // an earlier one of them, or a key that cannot name a column
    };
    struct Place {
        std::size_t column = 0;
        Treatment treatment = Treatment::plain;
    };

    std::vector<Place> places;          // one for each member
    std::optional<std::int64_t> shape;  // empty: all members are stored in `_exact`
    bool key_repeated = false;          // a part of the item's key occurs more than once
};

// References are valid until `forget_many`.
class Layouts {
public:
    Layouts(Columns& columns, KeySets& shapes) : columns_(columns), shapes_(shapes) {}

    const MemberPlaces& of(std::span<const Member> members);
    // Drops all layouts if there are too many. Call between pages.
    void forget_many();

private:
    bool is_last(std::span<const Member> members) const;
    std::unique_ptr<MemberPlaces> make(std::span<const Member> members);

    Columns& columns_;
    KeySets& shapes_;
    std::unordered_map<std::string, std::unique_ptr<MemberPlaces>> layouts_;  // by the keys, joined with U+0000
    const MemberPlaces* last_ = nullptr;
    std::vector<std::string> last_keys_;
};

}  // namespace shelfd::mirror
