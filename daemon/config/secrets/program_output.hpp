// Runs a program and takes what it writes.
#pragma once

#include "base/result.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace shelfd::config {

// Runs `command` (program by path, then arguments) without a shell: standard input and standard error are /dev/null,
// the environment holds PATH, HOME and LANG=C only, no other descriptor of ours is open in it. Appends standard output
// to `output`, whose capacity must be at least `largest` + 1, so that no copy of a secret is left behind by growth. An
// error when the program cannot run, does not exit with 0, or is not done in time; then it is killed, with the children
// that stayed in its process group. More than `largest` bytes are cut to `largest` + 1. Blocks.
Result<void> read_program_output(const std::vector<std::string>& command, std::chrono::milliseconds longest,
                                 std::size_t largest, std::string& output);

}  // namespace shelfd::config
