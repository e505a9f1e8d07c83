// Writes the files of an installation, and starts its daemon.
#pragma once

#include "base/result.hpp"
#include "base/secret.hpp"
#include "ctl/setup/user_places.hpp"

#include <string>

namespace shelfd::ctl {

// Fails with kind usage if a file is there that the first setup would write, and names it and the cure; permission, if
// that cannot be seen. `library`: its name, "" if it is not known yet.
Result<void> check_vacant(const InstallationPlaces& places, const std::string& library);

// Creates the directories that are missing. Those of the system exist since the package was installed; only that of the
// secrets is created there, for the group shelfd. Errors: storage or permission, naming the directory.
Result<void> create_directories(const InstallationPlaces& places);

// Readable by all, or by the daemon only if it holds a secret. Errors: storage or permission, naming the file.
Result<void> write_config_file(const InstallationPlaces& places, const std::string& path, const std::string& text);
Result<void> write_secret(const InstallationPlaces& places, const std::string& path, const Secret& secret);

// What a person types to start the daemon: the unit, if systemd runs here and there is one for these places, otherwise
// the program.
std::string start_command(const InstallationPlaces& places);
// `systemctl enable --now shelfd`. Errors: config, with what to type instead; stopped, after an interruption.
Result<void> enable_service(const InstallationPlaces& places);

}  // namespace shelfd::ctl
