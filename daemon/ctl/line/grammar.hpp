// The tree of verbs and their options, as CLI11 knows it.
#pragma once

#include "ctl/line/command.hpp"

#include <functional>
#include <memory>
#include <string>

namespace CLI {
class App;
}  // namespace CLI

namespace shelfd::ctl {

// Built over one Command, which it fills when argv is parsed and which outlives it.
class Grammar {
public:
    explicit Grammar(Command& command);
    ~Grammar();
    Grammar(const Grammar&) = delete;
    Grammar& operator=(const Grammar&) = delete;
    CLI::App& app() { return *app_; }

private:
    CLI::App& verb(CLI::App& parent, Verb verb, const std::string& name, const std::string& meaning);
    void library(CLI::App& app, bool required);
    void json(CLI::App& app, const std::string& meaning);
    static void duration(CLI::App& app, const std::string& name, const std::string& meaning,
                         const std::function<void(Duration)>& take);
    void add_look_verbs();
    void add_sync_verbs();
    void add_sql();
    void add_mirror_verbs();
    void add_held();
    void add_inquiries();
    void add_auth();
    void add_alerts();
    void add_config();
    void add_rest();

    Command& command_;
    std::unique_ptr<CLI::App> app_;
};

}  // namespace shelfd::ctl
