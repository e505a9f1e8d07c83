// Lists by parent: which there are to be, which could not be walked, and how complete their table is.
#pragma once

#include "base/instant.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::mirror {

// The rows of a table that name the lists of another one.
struct ParentRows {
    std::optional<Instant> as_of = {};        // of the table; nothing: it was never filled
    std::vector<std::string> keys = {};       // what names a list, each once, as JSON text
    bool complete = true;                     // else some rows are not here yet: of a ledger that is not loaded
    std::optional<Instant> lacks_as_of = {};  // of the last pass that could tell that a row is gone
};

// The list of one parent could not be walked.
struct MissedList {
    std::string parent = {};                  // its key as JSON text
    std::string why = {};                     // for people, one sentence
    std::optional<Instant> asked_at = {};     // where the service has spoken, so that asking again soon is no use
    std::optional<Instant> empty_as_of = {};  // where it says that there is no such list: if no row of it is here
};

// How complete a table of lists by parent is.
struct ListsStanding {
    std::uint64_t lists = 0;                   // that there are to be
    std::uint64_t never_asked = 0;             // that were neither walked nor refused yet
    std::uint64_t unwalked = 0;                // that were refused, and never walked
    std::uint64_t missed = 0;                  // that could not be walked when that was last tried
    std::uint64_t rows = 0;                    // of all lists
    std::uint64_t stale = 0;                   // of these, such that rows may be missing, or be of former times
    std::optional<Instant> as_of = {};         // of the oldest list
    std::optional<Instant> proven_as_of = {};  // the same; nothing where one was never proven
    std::string parent = {};                   // of one that was missed: its key as JSON text, and why
    std::string why = {};
};

struct RoundEnd {
    std::vector<std::string> parents = {};  // that name the lists there are to be, as in ParentRows
    Instant parents_as_of = {};
    std::optional<Instant> late_at = {};  // see Proof
    bool over = true;                     // nothing of it is left to do
    std::string error = {};               // why not, for people
};

}  // namespace shelfd::mirror
