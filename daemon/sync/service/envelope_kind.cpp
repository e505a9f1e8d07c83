#include "sync/service/envelope_kind.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace shelfd::sync {
namespace {

constexpr auto names = std::to_array<std::pair<Envelope, const char*>>({
    {Envelope::counted, "counted"},
    {Envelope::offset, "offset"},
    {Envelope::cursor, "cursor"},
    {Envelope::uncounted, "uncounted"},
    {Envelope::array, "array"},
    {Envelope::object, "object"},
});

}  // namespace

std::optional<Envelope> agree(std::optional<Envelope> known, Envelope seen)
{
    const auto counts = [](Envelope envelope) { return envelope == Envelope::counted || envelope == Envelope::offset; };
    const auto is_either = [](Envelope envelope) {
        return envelope == Envelope::cursor || envelope == Envelope::uncounted;
    };
    if (!known || *known == seen) {
        return seen;
    }
    if (is_either(*known) && is_either(seen)) {
        return Envelope::uncounted;
    }
    return counts(*known) && counts(seen) ? std::optional(Envelope::offset) : std::nullopt;
}

std::optional<Envelope> agree_behind_first(Envelope known, Envelope seen)
{
    const bool counts = known == Envelope::counted || known == Envelope::offset;
    const bool counts_no_more = seen == Envelope::cursor || seen == Envelope::uncounted;
    return counts && counts_no_more ? known : agree(known, seen);
}

const char* to_string(Envelope envelope)
{
    return std::find_if(names.begin(), names.end(), [&](const auto& name) { return name.first == envelope; })->second;
}

std::optional<Envelope> envelope_from(std::string_view name)
{
    const auto* found =
        std::find_if(names.begin(), names.end(), [&](const auto& known) { return known.second == name; });
    return found == names.end() ? std::nullopt : std::optional(found->first);
}

}  // namespace shelfd::sync
