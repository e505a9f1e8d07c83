// How verbs are declared to CLI11: what they have in common, said once.
#pragma once

#include "ctl/line/command.hpp"

#include <functional>
#include <string>

namespace CLI {
class App;
}  // namespace CLI

namespace shelfd::ctl {

// Both outlive it and what it declares: `command` is filled when argv is parsed.
class VerbAdder {
public:
    VerbAdder(CLI::App& root, Command& command) : root_(root), command_(command) {}

    Command& command() { return command_; }
    // A verb of one word; or of two, whose first one is a group.
    CLI::App& verb(Verb verb, const std::string& name, const std::string& meaning);
    CLI::App& verb(CLI::App& group, Verb verb, const std::string& name, const std::string& meaning);
    CLI::App* group(const std::string& name, const std::string& meaning);

    void library(CLI::App& app, bool required);
    void json(CLI::App& app, const std::string& meaning);
    static void duration(CLI::App& app, const std::string& name, const std::string& meaning,
                         const std::function<void(Duration)>& take);

private:
    CLI::App& root_;
    Command& command_;
};

}  // namespace shelfd::ctl
