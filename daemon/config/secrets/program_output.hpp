// Runs a program and reads its standard output.
#pragma once

#include "base/result.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace shelfd::config {

// Runs `command` (program by path, then arguments) without a shell: standard input and standard error are /dev/null,
// the environment holds only PATH, HOME and LANG=C, and no other descriptor is inherited. Appends standard output to
// `output`, whose capacity must be at least `largest` + 1, so that a reallocation leaves no copy of a secret. Fails if
// the program cannot run, exits with a status other than 0, or does not end in time; then it is killed, with the
// children in its process group. Output of more than `largest` bytes is cut to `largest` + 1. Blocks.
Result<void> read_program_output(const std::vector<std::string>& command, std::chrono::milliseconds longest,
                                 std::size_t largest, std::string& output);

}  // namespace shelfd::config
