// Which lists the service has: their paths, the scope that opens them, how they are paginated, how many rows they get.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace shelfd::sim {

enum class Envelope { page_number, limit_offset, cursor, array };

std::optional<Envelope> envelope_from(std::string_view word);

// How many rows a list gets: the number asked for, or a number of its own that a real library would have.
struct ListSpec {
    std::string_view path;  // below /api/v2/, without a slash at either end; "*" stands for a parent's id
    Envelope envelope;
    std::optional<int> rows;  // nothing: as many as asked for

    // "library/recipes" → "library": one scope for each family of paths.
    std::string_view scope() const { return path.substr(0, path.find('/')); }
};

std::span<const ListSpec> all_lists();
// For the path of one library's list, "inventory/outlets/17/stock" say. nullptr when there is no such list.
const ListSpec* find_list(std::string_view path);
// "17" of "inventory/outlets/17/stock", "" for a list without parent.
std::string_view parent_of(std::string_view path, const ListSpec& spec);

inline constexpr std::string_view all_scopes = "accounts library inventory procurement sales media";
inline constexpr std::string_view identity_path = "accounts/libraries/current";
inline constexpr std::string_view api_root = "/api/v2/";

}  // namespace shelfd::sim
