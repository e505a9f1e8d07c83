// From file names to one tree: the main file and conf.d/*.toml beside it.
#pragma once

#include "config/environment.hpp"
#include "config/fault.hpp"
#include "config/node.hpp"

#include <string>
#include <vector>

namespace shelfd::config {

struct Documents {
    Node root;                       // all files merged
    std::vector<std::string> files;  // in the order in which they were read
    bool met_shortage = false;       // a file was not read for want of descriptors, memory or the like: it may be right
    bool complete = true;            // false: a file could not be read whole, so what is missing may stand there
};

// Reads the main file, then those of conf.d in lexical order. A section, and an application, resource or library,
// stands in one file: the second one found is a fault that names the first. Blocks on the file system.
Documents read_documents(const std::string& main_file, const Environment& environment, FaultList& faults);

}  // namespace shelfd::config
