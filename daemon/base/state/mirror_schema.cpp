#include "base/state/mirror_schema.hpp"

#include "base/words/digits.hpp"

namespace shelfd {

std::optional<MirrorSchema> parse_mirror_schema(std::string_view text)
{
    const auto dot = text.find('.');
    const auto major = count_in<int>(text.substr(0, dot));
    const auto minor = dot == std::string_view::npos ? std::optional(0) : count_in<int>(text.substr(dot + 1));
    if (!major || !minor) {
        return std::nullopt;
    }
    return MirrorSchema{*major, *minor};
}

std::string to_text(const MirrorSchema& schema)
{
    return schema.minor == 0 ? std::to_string(schema.major)
                             : std::to_string(schema.major) + "." + std::to_string(schema.minor);
}

bool may_read_mirror(std::string_view min_reader)
{
    return parse_mirror_schema(min_reader).value_or(oldest_reader) <= own_mirror_schema;
}

}  // namespace shelfd
