// From file names to one tree: the main file and conf.d/*.toml beside it.
#pragma once

#include "config/tree/environment.hpp"
#include "config/tree/fault.hpp"
#include "config/tree/node.hpp"

#include <string>
#include <vector>

namespace shelfd::config {

// Of a configuration; a thousand libraries take less than 1 MiB.
inline constexpr std::size_t max_file = 16u << 20;

struct Documents {
    Node root;                       // all files merged
    std::vector<std::string> files;  // in the order in which they were read
    bool met_shortage = false;       // a file was not read for want of descriptors, memory or the like: it may be right
    bool complete = true;            // false: a file could not be read whole, so what is missing may stand there
};

// Who reads: a configuration names programs to run, so the daemon takes it only from root and from itself.
enum class Reader { daemon, anybody };

// Reads the main file, then those of conf.d in lexical order. A section, and an application, resource or library,
// stands in one file: the second one found is a fault that names the first. So is a file, or a conf.d, that others than
// its owner may change; one of an owner that the daemon does not take it from is a fault for the daemon, for others a
// warning. Files are regular ones of bounded size; none is
// waited for.
Documents read_documents(const std::string& main_file, const Environment& environment, FaultList& faults,
                         Reader reader = Reader::anybody);

}  // namespace shelfd::config
