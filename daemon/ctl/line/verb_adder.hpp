// Declares verbs to CLI11, with what they have in common.
#pragma once

#include "ctl/line/command.hpp"

#include <functional>
#include <string>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace shelfd::ctl {

// Both references must outlive this object and all that it declares; parsing fills `command`.
class VerbAdder {
public:
    VerbAdder(CLI::App& root, Command& command) : root_(root), command_(command) {}

    Command& command() { return command_; }
    // A verb of one word, or of two with a group as the first.
    CLI::App& verb(Verb verb, const std::string& name, const std::string& meaning);
    CLI::App& verb(CLI::App& group, Verb verb, const std::string& name, const std::string& meaning);
    CLI::App* group(const std::string& name, const std::string& meaning);

    CLI::Option* library(CLI::App& app, bool required);
    CLI::Option* json(CLI::App& app, const std::string& meaning);
    static CLI::Option* duration(CLI::App& app, const std::string& name, const std::string& meaning,
                                 const std::function<void(Duration)>& take);

private:
    CLI::App& root_;
    Command& command_;
};

}  // namespace shelfd::ctl
