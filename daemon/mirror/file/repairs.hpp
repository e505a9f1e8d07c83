// What the daemon did by itself after a mirror's file was broken, replaced, removed or found to be a copy. Stored in
// the file that is used from then on, and reported for a week.
#pragma once

#include "base/instant.hpp"
#include "base/result.hpp"
#include "storage/sqlite.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace shelfd::mirror {

struct Repair {
    Instant at;
    std::string file;
    std::string found;     // continues "the mirror of X"
    std::string done;      // one sentence without a full stop
    std::string aside;     // path of the old file; "" = it was gone
    bool of_rows = false;  // rows were put right, in the same file
};

// Rows of a table that had other values than were written.
struct DamagedRows {
    std::string table;
    std::uint64_t rows = 0;
    std::string key;  // of one of them, as JSON
};

// How long a repair is reported.
inline constexpr Duration repair_is_news = std::chrono::hours(24 * 7);

// Newest first.
Result<std::vector<Repair>> load_repairs(storage::Database& database);
// Stores the repairs that are news at `now`, in place of all stored ones.
Result<void> save_repairs(storage::Database& database, const std::vector<Repair>& repairs, Instant now);

// The repairs of one mirror, and notices about it that were not taken yet.
class RepairLog {
public:
    explicit RepairLog(std::string library) : library_(std::move(library)) {}

    // `finding`: what happened to the file, as the end of a sentence about the mirror. `aside`: as in Repair.
    void record(Instant at, const std::string& file, const std::string& finding, const std::string& aside);
    // The same for rows that were put right. What many passes find within an hour is one repair.
    void record_rows(Instant at, const std::string& file, const DamagedRows& found);
    // The file is a copy, and goes on under another name of its feed. Call the first one in the transaction that
    // changes the name, the second one after its commit.
    Result<void> store_copy(storage::Database& database, Instant at, const std::string& file) const;
    void record_copy(Instant at, const std::string& file);
    // Loads the repairs from the file, unless there are some already.
    Result<void> recall(storage::Database& database);
    // Stores the repairs in the file if they are not there yet.
    Result<void> save(storage::Database& database, Instant now);
    const std::vector<Repair>& all() const { return repairs_; }

    void add_notice(const std::string& notice) { notice_ = notice_ ? *notice_ + "; " + notice : notice; }
    bool has_notice() const { return notice_.has_value(); }
    std::optional<std::string> take_notice() { return std::exchange(notice_, std::nullopt); }

private:
    std::string library_;
    std::vector<Repair> repairs_;       // newest first
    std::vector<DamagedRows> damaged_;  // of the newest repair, if that is of rows
    bool unsaved_ = false;
    std::optional<std::string> notice_;
};

}  // namespace shelfd::mirror
