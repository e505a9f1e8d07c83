#include "ctl/setup/next_steps.hpp"

#include "base/words/shell_word.hpp"

#include <fmt/core.h>

namespace shelfd::ctl {

std::string typed_ctl(const Context& context, const InstallationPlaces& places)
{
    const bool is_found = context.command.config_file == Command().config_file;
    return (places.of_system ? "sudo " : "") + own_program(context.environment) +
           (is_found ? "" : " --config " + shell_word(places.config_file));
}

std::vector<std::string> next_steps(const std::string& ctl, const InitPlan& plan, const Starter& starter,
                                    bool is_started, bool has_set)
{
    std::vector<std::string> steps;
    if (!is_started) {
        steps = starter.commands;
        steps.back() += starter.remark.empty() ? "" : "   # " + starter.remark;
    }
    if (plan.way == TokenWay::later) {
        if (!has_set) {
            steps.push_back(
                fmt::format("{0} auth login {1}   # or: auth ask, then auth import {1}", ctl, plan.library));
        }
        steps.push_back(fmt::format("{} probe {}   # finds more lists", ctl, plan.library));
    }
    steps.push_back(fmt::format("{} wait {} --timeout 1h", ctl, plan.library));
    steps.push_back(fmt::format("{} sql {} \"SELECT * FROM freshness\"", ctl, plan.library));
    return steps;
}

}  // namespace shelfd::ctl
