// What was learned about the way a service answers for one resource, kept in `_resources`.
#pragma once

#include "base/instant.hpp"
#include "base/result.hpp"
#include "mirror/values/answers.hpp"
#include "storage/sqlite.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::mirror {

// What a list makes of a parameter.
enum class ParameterSupport {
    unknown,
    obeyed,
    ignored,
    refused,
    incomplete,  // of a filter: it has not brought all that it should have
};

struct Discovery {
    std::optional<Envelope> envelope = {};                  // nothing = not known
    ParameterSupport ordering = ParameterSupport::unknown;  // of newest key first
    ParameterSupport filter = ParameterSupport::unknown;    // of incremental passes
    PlaceForm place_form = PlaceForm::unknown;
    std::optional<Instant> looked_at = {};  // when ordering was last tried
    std::optional<Instant> filter_tried_at = {};
    Further further = Further::unknown;
    std::uint64_t whole_rows = 0;  // an answer of so many rows, or fewer, was seen to be the whole list
    std::optional<Instant> further_tried_at = {};
    std::optional<Instant> changes_from = {};  // changes before it are in the table; moved by publications
    std::string key_set = {};                  // of the last walk, as PageFacts::key_set
    std::uint64_t rows = 0;                    // in the table
    // Of the dates that tell when rows changed, as the newest rows show them; see resolution_of_dates. Never kept.
    std::optional<Duration> resolution = {};

    friend bool operator==(const Discovery&, const Discovery&) = default;
};

Result<Discovery> load_discovery(storage::Database& database, const std::string& resource);
// All but `resolution`, and `changes_from`, `key_set` and `rows`, which only a publication moves. Writes nothing where
// nothing changes.
Result<void> save_discovery(storage::Database& database, const std::string& resource, const Discovery& discovery);

// Whether a list tells tokens apart: it refuses one that nobody ever issued (401), and takes ours.
struct CanaryFitness {
    std::string resource;
    bool tells = false;
    Instant tried_at;
};

// Of all lists that were asked so.
Result<std::vector<CanaryFitness>> load_canaries(storage::Database& database);
Result<void> save_canary(storage::Database& database, const CanaryFitness& fitness);

}  // namespace shelfd::mirror
