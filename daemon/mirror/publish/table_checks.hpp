// When the tables of a mirror are verified, before a pass relies on their rows.
#pragma once

#include "base/instant.hpp"
#include "base/result.hpp"
#include "mirror/file/open_passes.hpp"
#include "mirror/values/specs.hpp"
#include "runtime/async/clock.hpp"
#include "storage/sqlite.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace shelfd::mirror {

// `clock` and `passes` must outlive this.
class TableChecks {
public:
    // Makes room for a few tables on the calling thread. What a worker allocates here lies between what it frees, and
    // keeps a page of its heap as long as the mirror lives (measured: 4 KiB a table).
    TableChecks(const Clock& clock, const OpenPasses& passes) : clock_(clock), passes_(passes)
    {
        constexpr std::size_t a_few = 4;
        checked_.reserve(a_few);
    }

    // Verifies this table once an hour, or once a day if it is sliced; all tables once in the life of this object and
    // whenever `epoch` changes, which lets the next passes compare their rows, too; and each cell of the file once a
    // week. What concerns other tables waits while passes
    // are open, the look at each cell for at most a day. `declared`: all declared tables. Errors: corrupt, with the
    // finding.
    Result<void> before_pass(storage::Database& database, const std::string& resource,
                             std::span<const ResourceSpec> declared, std::uint64_t epoch);

private:
    struct Checked {
        std::string table;
        Instant at;
    };

    Result<void> check_cells(storage::Database& database);
    // The time of the last check since `epoch_` began; Instant() for none.
    Instant& checked_at(const std::string& table);

    const Clock& clock_;
    const OpenPasses& passes_;
    std::vector<Checked> checked_;
    bool are_all_checked_ = false;  // since then
    std::uint64_t epoch_ = 0;
};

}  // namespace shelfd::mirror
