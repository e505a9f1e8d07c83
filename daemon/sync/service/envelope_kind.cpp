#include "sync/service/envelope_kind.hpp"

#include <fmt/core.h>

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

Error unreadable(std::string_view what)
{
    return Error(ErrorKind::protocol, fmt::format("the answer is not readable as a page of a list: {}", what));
}

Error other_shape(std::string_view seen, config::Answers answers)
{
    if (answers == config::Answers::object) {
        return Error(ErrorKind::config,
                     fmt::format("the answer is {}, not one object; check `path` and `answers`", seen));
    }
    return Error(ErrorKind::config, fmt::format("the answer is {}, not a list (an array, or an object with \"results\" "
                                                "and \"next\"); check `path`, or set answers = \"object\"",
                                                seen));
}

Error other_type(std::string_view member, std::string_view wanted)
{
    return Error(
        ErrorKind::config,
        fmt::format("the answer has a member {} that is not {}, so it is not a list; check `path`", member, wanted));
}

}  // namespace shelfd::sync
