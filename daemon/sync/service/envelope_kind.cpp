#include "sync/service/envelope_kind.hpp"

namespace shelfd::sync {

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

}  // namespace shelfd::sync
