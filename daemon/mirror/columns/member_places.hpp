// Where the members of items with one sequence of keys go: worked out once, used for every item alike.
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
        plain,       // in its column, and in `_exact` if the column cannot tell it
        twice,       // the last of several members with this key: in its column and in `_exact`
        exact_only,  // an earlier one of them, or a key that no column can be named after
    };
    struct Place {
        std::size_t column = 0;
        Treatment treatment = Treatment::plain;
    };

    std::vector<Place> places;          // one for each member
    std::optional<std::int64_t> shape;  // nothing: every member goes into `_exact`
    bool key_repeated = false;          // a part of the item's key is among the repeated
};

// References stay good until `forget_many`.
class Layouts {
public:
    Layouts(Columns& columns, KeySets& shapes) : columns_(columns), shapes_(shapes) {}

    const MemberPlaces& of(std::span<const Member> members);
    // Lets go of all when there are more than is worth keeping. Between pages.
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
