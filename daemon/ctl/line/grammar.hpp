// The tree of verbs and their options, as CLI11 knows it.
#pragma once

#include "ctl/line/command.hpp"

#include <memory>

namespace CLI {
class App;
}  // namespace CLI

namespace shelfd::ctl {

// Built over one Command, which is filled when argv is parsed and outlives it.
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
