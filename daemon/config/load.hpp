// Loads files into a checked configuration, or reports all their faults.
#pragma once

#include "config/bind/bind.hpp"
#include "config/check/value_check.hpp"
#include "config/model/model.hpp"
#include "config/tree/environment.hpp"
#include "config/tree/fault.hpp"
#include "config/tree/files.hpp"

#include <optional>
#include <string>
#include <vector>

namespace shelfd::config {

// A configuration or at least one fault; warnings in both cases. Ordered by file, line and column.
struct LoadOutcome {
    std::optional<Configuration> configuration;
    std::vector<Fault> faults;
    std::vector<Fault> warnings;
    bool met_shortage = false;  // a file was not read because descriptors, memory or the like ran out: it may be valid
};

// Reads `main_file` and conf.d/*.toml beside it. Reports all semantic faults in one run, and one syntax fault for each
// file; after a syntax fault, missing keys are not reported, since the unread rest may hold them. CREDENTIALS_DIRECTORY
// of `environment` is where credentials are looked up. With Secrets::as_anybody, wrong owners of the files are
// warnings, too (files.hpp). Blocks on the file system; any thread; keeps no state.
// `overlay`: texts that are not written yet, to check what they would mean.
LoadOutcome load(const std::string& main_file, const Environment& environment,
                 KeepOrigins keep_origins = KeepOrigins::no, Secrets secrets = Secrets::as_anybody,
                 const Overlay& overlay = {});

}  // namespace shelfd::config
