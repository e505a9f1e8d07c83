#include "base/state/mirror_schema.hpp"

#include <charconv>
#include <system_error>

namespace shelfd {
namespace {

std::optional<int> number_in(std::string_view text)
{
    int number = 0;
    const auto* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, number);
    return read.ec == std::errc() && read.ptr == end && number >= 0 ? std::optional(number) : std::nullopt;
}

}  // namespace

std::optional<MirrorSchema> parse_mirror_schema(std::string_view text)
{
    const auto dot = text.find('.');
    const auto major = number_in(text.substr(0, dot));
    const auto minor = dot == std::string_view::npos ? std::optional(0) : number_in(text.substr(dot + 1));
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
