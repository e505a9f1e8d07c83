// The newest generation of a token set, in memory that outlives the process: a backup that is restored over a running
// machine, mirrors included, does not set this back. Gone after a reboot.
#pragma once

#include "base/result.hpp"

#include <cstdint>
#include <string>

namespace shelfd::app {

// Blocks; one thread at a time.
class GenerationNote {
public:
    // "" = there is no such memory: nothing is noted.
    explicit GenerationNote(std::string path) : path_(std::move(path)) {}

    // 0 = nothing is noted, or what is there cannot be read.
    std::uint64_t read() const;
    // Never lowers it: beside a mirror that was made anew, the set of a restored store would else become the newest.
    // Errors: as storage::replace_file.
    Result<void> raise(std::uint64_t generation) const;

private:
    std::string path_;
};

}  // namespace shelfd::app
