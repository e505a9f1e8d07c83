// Writes the files of an installation, and starts its daemon.
#pragma once

#include "base/result.hpp"
#include "base/secret.hpp"
#include "ctl/setup/user_places.hpp"

#include <string>

namespace shelfd::ctl {

// Creates the directories that are missing. Those of the system exist since the package was installed; only that of the
// secrets is created there, for the group shelfd. Errors: storage or permission, naming the directory.
Result<void> create_directories(const InstallationPlaces& places);

// "shelfd.toml", "conf.d/antwerp.toml": beside the main file. Readable by all, or by the daemon only if it holds a
// secret. Errors: storage or permission, naming the file.
Result<void> write_config_file(const InstallationPlaces& places, const std::string& name, const std::string& text);
Result<void> write_secret(const InstallationPlaces& places, const std::string& name, const Secret& secret);

// `systemctl enable --now shelfd`. Errors: config, with what to type instead.
Result<void> enable_service();

}  // namespace shelfd::ctl
