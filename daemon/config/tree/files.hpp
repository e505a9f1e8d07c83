// Reads the main file and conf.d/*.toml beside it into one tree.
#pragma once

#include "config/tree/environment.hpp"
#include "config/tree/fault.hpp"
#include "config/tree/node.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::config {

// Size limit of one file; the configuration of a thousand libraries takes less than 1 MiB.
inline constexpr std::size_t max_file = 16u << 20;

struct Documents {
    Node root;                       // all files merged
    std::vector<std::string> files;  // in the order in which they were read
    bool met_shortage = false;       // a file was not read for want of descriptors, memory or the like
    bool complete = true;            // false: a file could not be read completely, so missing keys may be in it
};

// By path: the text that a file is taken to have, whatever is on disk; empty = the file is taken to be absent. Paths
// are those of the main file, or of conf.d beside it.
using Overlay = std::map<std::string, std::optional<std::string>>;

// The path of the drop-in file `name` of `main_file`.
std::string drop_in_path(const std::string& main_file, const std::string& name);

// Who reads: a configuration names programs to run, so the daemon accepts only files of root and of itself.
enum class Reader { daemon, anybody };

// Reads the main file, then those of conf.d in lexical order. A section, and an application, resource or library, must
// be in one file: a second definition is a fault that names the first. Also a fault: a file, conf.d or the main file's
// directory that users other than its owner may change. A wrong owner is a fault for the daemon, and a warning for
// anybody else. Files must be regular and of bounded size; reading never blocks.
Documents read_documents(const std::string& main_file, const Environment& environment, FaultList& faults,
                         Reader reader = Reader::anybody, const Overlay& overlay = {});

}  // namespace shelfd::config
