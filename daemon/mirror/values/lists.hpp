// Lists by parent: which must exist, which could not be walked, and how complete their table is.
#pragma once

#include "base/instant.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::mirror {

// The rows of a table that name the lists of another table.
struct ParentRows {
    std::optional<Instant> as_of = {};        // of the table; empty: it was never filled
    std::vector<std::string> keys = {};       // what names a list, each once, as JSON text
    bool complete = true;                     // false: rows are missing, because the ledger is still being loaded
    std::optional<Instant> lacks_as_of = {};  // of the last pass that could detect deleted rows
};

// A list of one parent that could not be walked.
struct MissedList {
    std::string parent = {};                  // its key as JSON text
    std::string why = {};                     // one sentence for people
    std::optional<Instant> asked_at = {};     // set if the service answered, so that an early retry is useless
    std::optional<Instant> empty_as_of = {};  // set if it has no such list; used if no row of it is here
};

// How complete a table of lists by parent is.
struct ListsStanding {
    std::uint64_t lists = 0;                   // lists that must exist
    std::uint64_t never_asked = 0;             // lists neither walked nor refused yet
    std::uint64_t unwalked = 0;                // lists refused, and never walked
    std::uint64_t missed = 0;                  // lists whose last walk failed
    std::uint64_t rows = 0;                    // in all lists
    std::uint64_t stale = 0;                   // of those missed: lists that may lack rows or have outdated ones
    std::optional<Instant> as_of = {};         // of the oldest list
    std::optional<Instant> proven_as_of = {};  // the same; empty if one was never proven
    std::string parent = {};                   // of a failed list: its key as JSON text, and why
    std::string why = {};
};

struct RoundEnd {
    std::vector<std::string> parents = {};  // what names the lists that must exist, as in ParentRows
    Instant parents_as_of = {};
    std::optional<Instant> late_at = {};  // see Proof
    bool over = true;                     // the round is complete
    std::string error = {};               // why the table is not up to date, for people
};

}  // namespace shelfd::mirror
