// What init says at its end: what it wrote, and what a person types next.
#pragma once

#include "config/model/model.hpp"
#include "ctl/context/context.hpp"
#include "ctl/setup/init_plan.hpp"
#include "ctl/setup/starter.hpp"
#include "ctl/start/exploration.hpp"
#include "ctl/start/found_lists.hpp"

#include <optional>
#include <string>
#include <vector>

namespace shelfd::ctl {

// shelfctl for that installation, as a person types it.
std::string typed_ctl(const Context& context, const InstallationPlaces& places);

// `is_started`: the daemon runs already. `has_set`: the token set of the library is there.
std::vector<std::string> next_steps(const std::string& ctl, const InitPlan& plan, const Starter& starter,
                                    bool is_started, bool has_set);

// What a person has to correct before the set can be refreshed here, with its file, and why; "" = nothing.
std::string correction_of(const SetStanding& set, const InitPlan& plan, const InstallationPlaces& places);

// What was written.
struct SetupReport {
    std::string library;
    std::string library_id;  // of the token set; "" = not known
    std::string directory;   // of the configuration
    std::vector<std::string> files;
    std::vector<FoundLists::Readable> lists;
    std::vector<FoundLists::Unreadable> unreadable;  // told, and not mirrored
    std::optional<config::Identity> identity;
    std::optional<bool> sealed;     // the set that was pasted works nowhere else; empty if none was pasted
    std::string correction;         // what comes before the commands; "" = nothing
    std::vector<std::string> next;  // commands
};
void print_setup(const Context& context, const SetupReport& report);

}  // namespace shelfd::ctl
