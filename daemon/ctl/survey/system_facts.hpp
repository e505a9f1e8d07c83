// Reads what the kernel, the service manager and /etc say about the machine and the running daemon.
#pragma once

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

// `machine_id`: of the configuration, "" = /etc/machine-id.
SystemFacts read_system(const SystemRoots& roots, const std::string& machine_id);
// Adds what /proc shows of the process `daemon.pid`.
void read_process(const SystemRoots& roots, DaemonFacts& daemon);
// Asks the installed `shelfd`, beside this program or in ../sbin, for its version.
void read_installed_program(SystemFacts& system);

}  // namespace shelfd::ctl
