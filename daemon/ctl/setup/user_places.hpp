// Where an installation keeps its files: below /etc and /var for the system's daemons, in the XDG base directories for
// a user without root, or in a directory of its own.
#pragma once

#include "base/result.hpp"
#include "ctl/line/command.hpp"
#include "ctl/line/environment.hpp"

#include <string>

namespace shelfd::ctl {

// What is said where the system has no user for its daemons.
inline constexpr const char* no_user_of_daemon =
    "there is no user shelfd: install the package, or run systemd-sysusers";

struct InstallationPlaces {
    bool of_system = false;
    bool may_have_unit = false;  // systemd may start its daemon: the system's, or that of a user without root
    std::string config_file;     // conf.d and secrets are beside it
    std::string mirrors;
    std::string tokens;
    std::string socket;
    std::string state = {};       // of the system's further instance: holds the two; "" = there since the installation
    std::string unit = "shelfd";  // what systemctl takes

    std::string directory() const { return config_file.substr(0, config_file.rfind('/')); }
    std::string lists_file() const { return directory() + "/conf.d/lists.toml"; }
    std::string library_file(const std::string& library) const { return directory() + "/conf.d/" + library + ".toml"; }
    std::string secret_file(const std::string& application) const { return directory() + "/secrets/" + application; }
};

// The system's, for root and the default configuration file, or that of an instance shelfd@NAME. A user's is in the XDG
// base directories. Where --config names another file, mirrors and token sets are beside it: configurations in
// different directories share none. Errors: usage, if HOME is needed and not set.
Result<InstallationPlaces> find_installation(const Command& command, const Environment& environment, bool is_root);

}  // namespace shelfd::ctl
