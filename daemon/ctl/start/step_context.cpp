#include "ctl/start/step_context.hpp"

namespace shelfd::ctl {

StepContext::StepContext(const Context& outer, std::string config_file, std::string socket, std::string library)
    : outer_(outer), command_(outer.command),
      unseen_([](std::string_view) {}, [this](std::string_view text) { pass_on(text); }, {})
{
    command_.config_file = std::move(config_file);
    command_.socket = std::move(socket);
    command_.library = std::move(library);
    command_.inquiry.paths.clear();
}

Context StepContext::with(const Command& command)
{
    return {command,          outer_.environment, terminal(),    outer_.clock,      outer_.read_input,
            outer_.read_line, outer_.random,      outer_.browse, outer_.read_secret};
}

void StepContext::say(const std::string& text)
{
    terminal().print_exact("# " + text + "\n");  // so that every line stays a comment
}

// "shelfctl: TEXT"
void StepContext::pass_on(std::string_view text)
{
    constexpr std::string_view prefix = "shelfctl: ";
    text.remove_prefix(text.starts_with(prefix) ? prefix.size() : 0);
    text.remove_suffix(text.ends_with('\n') ? 1 : 0);
    outer_.terminal.complain(text);
}

}  // namespace shelfd::ctl
