// How the daemon of an installation is started.
#pragma once

#include "base/result.hpp"
#include "ctl/line/environment.hpp"
#include "ctl/setup/user_places.hpp"

#include <string>
#include <vector>

namespace shelfd::ctl {

struct Starter {
    std::vector<std::string> commands;  // what a person types, in this order
    std::string remark;                 // about the last of them; "" = none
    bool is_service = false;            // systemd starts it
    std::string written_unit;           // "" = none was written
    std::string trouble;                // why systemd cannot start it, although it runs; "" = none

    // In one line.
    std::string command() const;
};

// By systemd, if it runs here, for this user, and has a unit that starts a daemon with this configuration; otherwise
// the program itself. For a user without root, and without any unit of that name, one is written to
// XDG_CONFIG_HOME/systemd/user; no file that is there is replaced.
Starter prepare_start(const InstallationPlaces& places, const Environment& environment);

// The same without writing anything: the program itself.
std::string foreground_command(const InstallationPlaces& places, const Environment& environment);

// `systemctl enable --now` for a daemon of the system, where systemd runs. Errors: config, with what to type instead;
// stopped, after an interruption.
Result<void> enable_service(const Starter& starter, const std::string& unit, const std::string& foreground);

// "shelfctl", if that is what PATH leads to, otherwise the path of this program; as a word for a shell.
std::string own_program(const Environment& environment);

}  // namespace shelfd::ctl
