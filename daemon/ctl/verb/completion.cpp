#include "ctl/line/completion.hpp"
#include "ctl/verb/verbs.hpp"

namespace shelfd::ctl {

ExitCode run_completion(const Context& context)
{
    const auto verbs = known_verbs();
    const auto& shell = context.command.shell;
    context.terminal.print_exact(shell == "bash"  ? bash_completion(verbs)
                                 : shell == "zsh" ? zsh_completion(verbs)
                                                  : fish_completion(verbs));
    return ExitCode::done;
}

}  // namespace shelfd::ctl
