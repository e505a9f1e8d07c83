// Rows of a mirror that are held, and what a person decides about them: the same values in the mirror, in the control
// interface and between them.
#pragma once

#include "base/instant.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace shelfd {

// A row the service does not list any more, kept since its own address, or another missing row's, still answers.
struct HeldRow {
    std::string key = {};  // JSON text: 42, "abc", [1,"a"]
    Instant since = {};
    bool kept = false;  // a person said that it stays: it waits for nobody
    std::string why = {};
};

struct HeldList {
    std::vector<HeldRow> rows = {};  // the longest held first, so many as were asked for
    std::uint64_t waiting = 0;       // for a decision, in all
    std::uint64_t kept = 0;
};

enum class HeldFate { accept, keep };  // it was deleted, and goes now; it stays until it is listed again

struct HeldDecision {
    HeldFate fate = HeldFate::keep;
    std::vector<std::string> keys = {};  // as in HeldRow, texts also without quotes; none: all that are not kept
    std::string asked_by = {};           // the user, for the runs; "" = unknown
};

struct HeldOutcome {
    std::uint64_t rows = 0;  // that the decision was about
    std::uint64_t left = 0;  // that still wait for one
};

}  // namespace shelfd
