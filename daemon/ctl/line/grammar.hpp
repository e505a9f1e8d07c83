// The tree of verbs and options in CLI11.
#pragma once

#include "ctl/line/command.hpp"

#include <memory>

namespace CLI {
class App;
}  // namespace CLI

namespace shelfd::ctl {

// Built over a Command, which parsing fills and which must outlive this object.
class Grammar {
public:
    explicit Grammar(Command& command);
    ~Grammar();
    Grammar(const Grammar&) = delete;
    Grammar& operator=(const Grammar&) = delete;
    CLI::App& app() { return *app_; }

private:
    std::unique_ptr<CLI::App> app_;
};

}  // namespace shelfd::ctl
