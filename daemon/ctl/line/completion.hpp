// Shell completion for shelfctl, made from its own grammar.
#pragma once

#include "ctl/line/command_line.hpp"

#include <string>
#include <vector>

namespace shelfd::ctl {

std::string bash_completion(const std::vector<VerbInfo>& verbs);
std::string zsh_completion(const std::vector<VerbInfo>& verbs);
std::string fish_completion(const std::vector<VerbInfo>& verbs);

}  // namespace shelfd::ctl
