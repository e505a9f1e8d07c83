// Runs other verbs as steps of one: for another library and daemon, and silent if the output is JSON.
#pragma once

#include "ctl/context/context.hpp"

#include <string>
#include <string_view>

namespace shelfd::ctl {

// `outer` must outlive it, and it must outlive all contexts that it returns. Errors of steps go to the outer terminal.
class StepContext {
public:
    StepContext(const Context& outer, std::string config_file, std::string socket, std::string library);
    StepContext(const StepContext&) = delete;
    StepContext& operator=(const StepContext&) = delete;

    // The command line of a step, to be completed.
    Command command() const { return command_; }
    // `command` must outlive the context.
    Context with(const Command& command);
    // A comment for the person.
    void say(const std::string& text);

private:
    void pass_on(std::string_view text);
    Terminal& terminal() { return outer_.command.output == Output::json ? unseen_ : outer_.terminal; }

    const Context& outer_;
    Command command_;
    Terminal unseen_;
};

}  // namespace shelfd::ctl
