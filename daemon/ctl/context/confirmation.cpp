#include "ctl/context/confirmation.hpp"

#include "ctl/context/ending_signals.hpp"

#include <fmt/core.h>

namespace shelfd::ctl {

Result<void> confirm_by_name(const Context& context, const std::string& what, const std::string& otherwise)
{
    if (context.command.force) {
        return {};
    }
    if (!context.terminal.can_ask()) {
        return Error(ErrorKind::usage, what + "; without a terminal, confirm with --force");
    }
    const EndingSignals caught;
    const auto typed = context.read_line(
        fmt::format("shelfctl: {}.\nType the name of the library to continue, anything else to cancel: ", what),
        std::nullopt);
    if (was_interrupted()) {
        context.terminal.complain("interrupted; " + otherwise);
        return Error(ErrorKind::stopped, otherwise);
    }
    return typed && typed->reveal() == context.command.library ? Result<void>() : Error(ErrorKind::usage, otherwise);
}

}  // namespace shelfd::ctl
