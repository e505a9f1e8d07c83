// Asks a person for what init needs and no option gave.
#pragma once

#include "ctl/context/context.hpp"
#include "ctl/setup/init_plan.hpp"

namespace shelfd::ctl {

// Whether there is a person who answers questions.
bool can_ask(const Context& context);

// From the options, the rest from the person. Errors: usage, with the option to give if nobody can be asked.
Result<InitPlan> ask_for_plan(const Context& context);

// The lists to mirror, of those that were found. All of them if nobody can be asked.
Result<std::vector<std::string>> ask_for_lists(const Context& context, const std::vector<std::string>& found);

// The path of one list. Errors: usage, naming the option if nobody can be asked.
Result<std::string> ask_for_list(const Context& context);

}  // namespace shelfd::ctl
