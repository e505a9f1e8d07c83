// When the tables of a mirror are read where readers would read them, before a pass vouches for their rows.
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

// `clock` and `passes` must outlive it.
class TableChecks {
public:
    TableChecks(const Clock& clock, const OpenPasses& passes) : clock_(clock), passes_(passes) {}

    // The pages of this table, once an hour, a sliced one once a day; once for each life of this object, and whenever
    // `epoch` is another one than before, all tables; once a week each cell of the file. `declared`: all that are
    // declared. Errors: corrupt, with what was found.
    Result<void> before_pass(storage::Database& database, const std::string& resource,
                             std::span<const ResourceSpec> declared, std::uint64_t epoch);

private:
    Result<void> check_cells(storage::Database& database);

    const Clock& clock_;
    const OpenPasses& passes_;
    std::map<std::string, Instant> checked_at_;  // each table; empty: none since `epoch_` began
    std::uint64_t epoch_ = 0;
};

}  // namespace shelfd::mirror
