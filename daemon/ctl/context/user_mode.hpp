// A daemon of a user without root: where its configuration is, and which unit of systemd starts it.
#pragma once

#include "base/result.hpp"
#include "ctl/line/environment.hpp"

#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace shelfd::ctl {

// A directory of the XDG base directory specification: the variable `name`, or `below_home` in HOME. "" without HOME.
std::string xdg_directory(const Environment& environment, const char* name, const char* below_home);

// The configuration file of this user: in XDG_CONFIG_HOME; "" without HOME.
std::string user_config_file(const Environment& environment);

// The directories in which systemd searches for units of this user, in its order (systemd.unit(5)).
std::vector<std::string> user_unit_directories(const Environment& environment);
// Of these, the one in which this user writes units: XDG_CONFIG_HOME/systemd/user. "" without HOME.
std::string own_unit_directory(const Environment& environment);

// The first shelfd.service in `directories`; "" = there is none.
std::string find_unit(const std::vector<std::string>& directories, std::string_view name = "shelfd.service");

// As text in a setting of a unit: a percent sign is doubled (systemd.unit(5)).
std::string escape_unit_text(std::string_view text);
// As one word of a command line in a unit (systemd.service(5)).
std::string unit_word(std::string_view word);

// Whether that unit starts a daemon with `config_file`. A unit that cannot be read starts none.
bool unit_starts(const std::string& unit, const std::string& config_file, const Environment& environment);

// Whether systemd manages services of this user, here and now.
bool has_user_manager(const Environment& environment);

// The command with which the user `uid` starts the daemon of `socket`. `config_file`: if it was named; "" = it was not.
std::string start_command(const std::string& socket, uid_t uid, const std::string& config_file = "");
// The command that shows that user the log of that daemon.
std::string log_command(const std::string& socket, uid_t uid);

// The user's own group, if nobody shares it: it has the user's name. "" = there is none.
std::string own_private_group();

}  // namespace shelfd::ctl
