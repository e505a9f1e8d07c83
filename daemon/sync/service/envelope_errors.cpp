#include "sync/service/envelope_errors.hpp"

#include <fmt/core.h>

namespace shelfd::sync {

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
