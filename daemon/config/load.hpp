// Files in, a checked configuration or all of their faults out.
#pragma once

#include "config/bind/bind.hpp"
#include "config/check/value_check.hpp"
#include "config/model/model.hpp"
#include "config/tree/environment.hpp"
#include "config/tree/fault.hpp"

#include <optional>
#include <string>
#include <vector>

namespace shelfd::config {

// Either a configuration or at least one fault; warnings in both cases. Ordered by file, line and column.
struct LoadOutcome {
    std::optional<Configuration> configuration;
    std::vector<Fault> faults;
    std::vector<Fault> warnings;
    bool met_shortage = false;  // a file was not read for want of descriptors, memory or the like: it may be right
};

// Reads `main_file` and conf.d/*.toml beside it. All faults of meaning come in one run, of syntax one for each file;
// with a fault of syntax nothing is said about what is missing, since it may stand behind it. CREDENTIALS_DIRECTORY of
// `environment` is where credentials are looked for. Where secrets are looked at for anybody, so are the owners of the
// files (files.hpp). Blocks on the file system; any thread; keeps nothing.
LoadOutcome load(const std::string& main_file, const Environment& environment,
                 KeepOrigins keep_origins = KeepOrigins::no, Secrets secrets = Secrets::as_anybody);

}  // namespace shelfd::config
