// Configuration files for a test, in a directory that goes away with it.
#pragma once

#include "config/load.hpp"

#include "support/temp_directory.hpp"

#include <string>

namespace shelfd::test {

// The main file is PATH/shelfd.toml.
class ConfigFiles {
public:
    ConfigFiles() = default;
    explicit ConfigFiles(const std::string& main_text) { write("shelfd.toml", main_text); }

    // `name` is relative: "conf.d/antwerp.toml". Returns the whole path.
    std::string write(const std::string& name, const std::string& text, unsigned mode = 0600) const;
    std::string path(const std::string& name) const;
    config::LoadOutcome load(const config::Environment& environment = {}) const;

private:
    TempDirectory directory_;
};

// All faults and warnings, a line each, without the directory: "shelfd.toml:3:1: …".
std::string list(const ConfigFiles& files, const std::vector<config::Fault>& faults);

// A library that is right, to stand behind a text with something wrong in it.
extern const char* const good_library;

}  // namespace shelfd::test
