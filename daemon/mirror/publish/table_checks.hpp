// When the tables of a mirror are verified, before a pass relies on their rows.
#pragma once

#include "base/instant.hpp"
#include "base/result.hpp"
#include "mirror/file/open_passes.hpp"
#include "mirror/values/specs.hpp"
#include "runtime/async/clock.hpp"
#include "storage/sqlite.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <string>

namespace shelfd::mirror {

// `clock` and `passes` must outlive this.
class TableChecks {
public:
    TableChecks(const Clock& clock, const OpenPasses& passes) : clock_(clock), passes_(passes) {}

    // Verifies this table once an hour, or once a day if it is sliced; all tables once in the life of this object and
    // whenever `epoch` changes; and each cell of the file once a week. What concerns other tables waits while passes
    // are open, the look at each cell for at most a day. `declared`: all declared tables. Errors: corrupt, with the
    // finding.
    Result<void> before_pass(storage::Database& database, const std::string& resource,
                             std::span<const ResourceSpec> declared, std::uint64_t epoch);

private:
    Result<void> check_cells(storage::Database& database);

    const Clock& clock_;
    const OpenPasses& passes_;
    std::map<std::string, Instant> checked_at_;  // by table, since `epoch_` began
    bool are_all_checked_ = false;               // since then
    std::uint64_t epoch_ = 0;
};

}  // namespace shelfd::mirror
