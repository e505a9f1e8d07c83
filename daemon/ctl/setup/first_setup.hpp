// The steps of init after the questions: token set, lists, files, daemon.
#pragma once

#include "ctl/context/context.hpp"
#include "ctl/setup/init_plan.hpp"
#include "ctl/setup/installation.hpp"
#include "ctl/setup/next_steps.hpp"
#include "ctl/setup/starter.hpp"
#include "ctl/setup/token_step.hpp"
#include "ctl/start/child_daemon.hpp"
#include "ctl/start/exploration.hpp"
#include "ctl/start/found_lists.hpp"
#include "ctl/start/step_context.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::ctl {

// Runs once. Blocks. A daemon of its own imports the token set and finds the lists, with a mirror that is thrown away;
// then the files are written, and the real daemon begins with them. No file that is there is replaced. If a step fails,
// or a signal ends it, after the set was imported, the files are written all the same, and the error names the verb
// that continues. Otherwise directories that it has made are removed again, unless they hold something.
class FirstSetup {
public:
    FirstSetup(const Context& context, InitPlan plan, InstallationPlaces places);

    ExitCode run();

private:
    ExitCode attempt();
    ExitCode explore();
    ExitCode find_lists();
    Result<void> find_identity();
    void find_out_about_set(ExitCode code);
    std::string store() const { return places_.tokens + "/" + plan_.library; }
    void remove_store() const;
    struct File {
        std::string path;
        std::string text;
    };
    std::vector<File> files() const;
    std::vector<std::string> paths() const;
    Result<void> check_files() const;
    Result<void> write_files();
    ExitCode give_up(ExitCode code);
    ExitCode complain(const Error& error) const;
    void report() const;

    const Context& context_;
    InitPlan plan_;
    InstallationPlaces places_;
    std::optional<Exploration> exploration_;
    std::unique_ptr<StepContext> steps_;
    MadeDirectories made_;
    std::optional<IdentityPage> identity_;
    std::string proposed_;                              // a page that may name the library; "" = none
    std::optional<config::Identity> written_identity_;  // in effect in the files
    std::vector<FoundLists::Readable> lists_;
    std::vector<FoundLists::Unreadable> unreadable_;
    std::vector<std::string> written_;
    Starter starter_;
    SetTaken taken_;
    std::string correction_;  // before the set can be refreshed here; "" = nothing
    enum class SetState { absent, unknown, imported };
    SetState set_ = SetState::absent;
};

}  // namespace shelfd::ctl
