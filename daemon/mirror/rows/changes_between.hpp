// Rows in the change feed whose own date says when they changed.
#pragma once

#include "base/instant.hpp"
#include "base/result.hpp"
#include "storage/sqlite.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace shelfd::mirror {

struct DatedChange {
    std::string key;    // JSON text
    std::string value;  // of the member, as the feed has it
};

// Which lines are meant: of `resource`, written by `run_id`, each of which has given the row another `member`.
struct DatedChanges {
    std::string resource;
    std::string run_id;
    std::string member;
    Instant after;  // the dates are later than that
    Instant until;  // and none later than that
};

// The newest line of the feed, 0 where there is none.
Result<std::int64_t> newest_change(storage::Database& database);
// The first one behind line `seq`; nothing where there is none, or where the feed has no values.
Result<std::optional<DatedChange>> first_dated_change(storage::Database& database, std::int64_t seq,
                                                      const DatedChanges& wanted);
// As of when the last published run over the whole list was, but for `run_id`.
Result<std::optional<Instant>> last_whole_run(storage::Database& database, const std::string& resource,
                                              const std::string& run_id);

}  // namespace shelfd::mirror
