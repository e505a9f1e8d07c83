// A person's own directories, on a machine without configuration.
#pragma once

#include "daemon_process.hpp"
#include "site.hpp"
#include "support/process.hpp"
#include "support/temp_directory.hpp"

#include <map>
#include <string>
#include <vector>

namespace shelfd {

struct Newcomer {
    TempDirectory home;
    std::string printed;  // everything shelfctl has printed so far

    Newcomer();

    // Without the built programs in PATH.
    std::map<std::string, std::string> environment() const;
    std::string config_file() const { return home / ".config/shelfd/shelfd.toml"; }

    // The configuration is named: tests may run as root, whose own would be the system's.
    Ran ctl(const std::vector<std::string>& arguments, const std::string& input = "");
    // What a program runs under that must not be root: nothing, if this is not root.
    static std::vector<std::string> without_root();
    // As a user without root types it, without --config.
    Ran ctl_without_root(const std::vector<std::string>& arguments, const std::string& input = "");
    // Words for `ctl` of a person who sets up the site's service, answered by options but for the token set and the
    // lists. Writes the file with the client secret.
    std::vector<std::string> init_of(Site& site) const;
    // Every file below the home directory that holds `text`.
    std::vector<std::string> files_with(const std::string& text) const;
};

// init for a service, answered by options but for the token set and the lists.
std::vector<std::string> init_line(const Newcomer& person, Site& site);

// Processes whose command line holds `text`.
std::size_t processes_with(const std::string& text);

}  // namespace shelfd
