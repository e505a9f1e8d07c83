// Rows of a walk whose own date is another one than the table has: the date says when they changed.
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
    std::string value;  // of the member, as the column has it
};

// Who wants to see these rows as they are published, whatever the change feed has of them.
struct DateWatch {
    std::string member;                            // that tells when a row changed
    std::function<bool(const DatedChange&)> take;  // false: no more of them
};

// Before staging is merged: its rows that the table lacks or has with another `member`. `columns` are staging's.
Result<void> show_new_dates(storage::Database& database, const std::string& resource, const Columns& columns,
                            const DateWatch& watch);

// As of when the last published run over the whole list was, but for `run_id`.
Result<std::optional<Instant>> last_whole_run(storage::Database& database, const std::string& resource,
                                              const std::string& run_id);

// How finely the newest values of `member` tell the time: a day where they are days (or midnights all of them), a
// minute where none has other seconds than 00, else a second. nothing: there are no values, or no texts.
Result<std::optional<Duration>> resolution_of_dates(storage::Database& database, const std::string& resource,
                                                    const std::string& member);
// The same of one value; nothing: it is no date.
std::optional<Duration> resolution_of(std::string_view text);

}  // namespace shelfd::mirror
