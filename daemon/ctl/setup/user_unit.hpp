// The unit of systemd for a user, where no package has installed one.
#pragma once

#include <string>

namespace shelfd::ctl {

struct InstalledPrograms {
    std::string shelfd;  // absolute paths
    std::string shelfctl;
};

// That of the package, for these programs and that configuration. Pure.
std::string user_unit_text(const InstalledPrograms& programs, const std::string& config_file);

}  // namespace shelfd::ctl
