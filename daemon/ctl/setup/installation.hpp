// Writes the files of an installation.
#pragma once

#include "base/result.hpp"
#include "base/secret.hpp"
#include "ctl/setup/user_places.hpp"

#include <string>
#include <vector>

namespace shelfd::ctl {

// Fails with kind usage if the configuration is there, or another one in its directory, or one of `files`, which the
// first setup would write; names it and the cure. Permission, if that cannot be seen.
Result<void> check_vacant(const InstallationPlaces& places, const std::vector<std::string>& files);

// The directories of an installation, as far as they were missing.
class MadeDirectories {
public:
    // Those of the system exist since the package was installed; only that of the secrets is created there, for the
    // group shelfd, and those of a further instance, which its unit would create. Errors: storage or permission, naming
    // the directory; config, if there is no user or group shelfd.
    Result<void> create(const InstallationPlaces& places);
    // Those that `create` has made and that hold nothing, or only what a daemon that has ended notes about the store.
    void remove_empty() const;

private:
    Result<void> make(const std::string& path, unsigned mode);
    // Belongs to the user of the system's daemons.
    Result<void> make_for_daemon(const std::string& path, unsigned mode);

    std::string tokens_;
    std::vector<std::string> made_;  // each after the one that holds it
};

// Whether these directories can be created; leaves none behind. Errors: as of MadeDirectories::create.
Result<void> check_usable(const InstallationPlaces& places);

// Readable by all, or by the daemon only if it holds a secret. Errors: storage or permission, naming the file.
Result<void> write_config_file(const InstallationPlaces& places, const std::string& path, const std::string& text);
Result<void> write_secret(const InstallationPlaces& places, const std::string& path, const Secret& secret);

}  // namespace shelfd::ctl
