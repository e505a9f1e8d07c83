// Reads what the kernel, the service manager and /etc say about the machine and the running daemon.
#pragma once

#include "ctl/line/environment.hpp"
#include "ctl/survey/facts.hpp"

#include <string>

namespace shelfd::ctl {

// Where the machine describes itself; tests plant their own.
struct SystemRoots {
    std::string proc = "/proc";
    std::string etc = "/etc";
    std::string run = "/run";
    std::string lib = "/usr/lib";
    std::string zones = "/usr/share/zoneinfo";
};

// `machine_id`: of the configuration, "" = /etc/machine-id. `unit`: the daemon's, "shelfd" or "shelfd@NAME".
SystemFacts read_system(const SystemRoots& roots, const std::string& machine_id, const std::string& unit = "shelfd");
// Replaces the unit by that of a user without root, if there is one that starts a daemon with `config_file`.
void read_user_unit(SystemFacts& system, const std::string& config_file, const Environment& environment);
// Adds what /proc shows of the process `daemon.pid`.
void read_process(const SystemRoots& roots, DaemonFacts& daemon);
// Asks the installed `shelfd`, beside this program or in ../sbin, for its version.
void read_installed_program(SystemFacts& system);

}  // namespace shelfd::ctl
