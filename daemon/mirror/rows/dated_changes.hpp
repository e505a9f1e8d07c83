// Rows of a walk whose own date of change differs from the one in the table.
#pragma once

#include "base/instant.hpp"
#include "base/result.hpp"
#include "mirror/columns/columns.hpp"
#include "storage/sqlite.hpp"

#include <functional>
#include <optional>
#include <string>

namespace shelfd::mirror {

struct DatedChange {
    std::string key;    // JSON text
    std::string value;  // of the member, as stored in the column
};

// Receives such rows when they are published, whatever the change feed contains.
struct DateWatch {
    std::string member;                            // the member with the time of the last change
    std::function<bool(const DatedChange&)> take;  // returns false to stop
    // Instead: rows are new or changed, and none has ever had the member.
    std::function<void()> lacks_member = [] {};
};

// Passes on the rows of staging, before they are merged, that the table lacks or has with another `member`. `columns`
// are those of staging.
Result<void> show_new_dates(storage::Database& database, const std::string& resource, const Columns& columns,
                            const DateWatch& watch);

// The as_of of the last published run over the whole list, except `run_id`.
Result<std::optional<Instant>> last_whole_run(storage::Database& database, const std::string& resource,
                                              const std::string& run_id);

// Returns the resolution of the newest values of `member`: a day if they are days (or all at midnight), a minute if all
// have 00 seconds, otherwise a second. Empty optional: there are no values, or they are not dates.
Result<std::optional<Duration>> resolution_of_dates(storage::Database& database, const std::string& resource,
                                                    const std::string& member);
// The same for one value; an empty optional if it is not a date.
std::optional<Duration> resolution_of(std::string_view text);

}  // namespace shelfd::mirror
