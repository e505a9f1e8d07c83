// The version of the tables in which a mirror describes itself: who may write a file, and who may read it.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace shelfd {

// A minor version only adds objects and columns: programs of every minor of a major use the same files. A major version
// may replace them.
struct MirrorSchema {
    int major = 0;
    int minor = 0;

    auto operator<=>(const MirrorSchema&) const = default;
};

// That of this program. The major version is PRAGMA user_version, the minor one `schema_minor` in the table _meta.
// Raise the minor version with each addition and each change of the view `freshness`.
inline constexpr MirrorSchema own_mirror_schema{1, 26};
// `min_reader` in _meta: programs of an earlier version must not use a file that this one has written.
inline constexpr MirrorSchema oldest_reader{1, 0};

// Reads "1" and "1.18"; an empty optional for any other text.
std::optional<MirrorSchema> parse_mirror_schema(std::string_view text);
// The same text; without the minor version if that is 0.
std::string to_text(const MirrorSchema& schema);

// Whether this program may use a file with this `min_reader`. Without one, or with one that is not understood, it may:
// the first versions wrote none.
bool may_read_mirror(std::string_view min_reader);

}  // namespace shelfd
