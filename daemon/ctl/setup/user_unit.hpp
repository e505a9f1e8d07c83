// The unit of systemd for a user, where no package has installed one.
#pragma once

#include <string>

namespace shelfd::ctl {

struct InstalledPrograms {
    std::string shelfd;  // absolute paths
    std::string shelfctl;
};

// That of the package, for these programs and that configuration. Pure. `runtime_directory`: the one below
// XDG_RUNTIME_DIR that holds its socket, and that systemd makes at each start.
std::string user_unit_text(const InstalledPrograms& programs, const std::string& config_file,
                           const std::string& runtime_directory = "shelfd");

}  // namespace shelfd::ctl
