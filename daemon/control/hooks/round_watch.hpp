// Which rounds were published since the last look: what hooks with `on_publish` are called for.
#pragma once

#include "base/instant.hpp"
#include "control/model/status.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace shelfd::control {

// Rounds of one table that added, changed or deleted rows.
struct TableRounds {
    std::string table;
    std::string run_id;  // of the last of them
    std::uint64_t rounds = 0;
    std::uint64_t rows = 0;  // in the table now
    std::uint64_t added = 0;
    std::uint64_t changed = 0;
    std::uint64_t deleted = 0;
    std::optional<Instant> as_of;
};

// Rounds of one library. Its tables share one change feed.
struct LibraryRounds {
    std::string library;
    std::string origin;           // base_url
    std::string mirror;           // path of the file to read
    std::string position_before;  // of the feed at the last call; "" = not known
    std::string position;         // of the feed after these rounds
    std::vector<TableRounds> tables;
};

class RoundWatch {
public:
    struct Library {
        std::string position;
        std::map<std::string, std::string> runs;  // by table: the last run that was seen, "" = there was none

        friend bool operator==(const Library&, const Library&) = default;
    };
    // What outlives the process, by library.
    using Known = std::map<std::string, Library>;

    RoundWatch() = default;
    explicit RoundWatch(Known known) : known_(std::move(known)) {}

    // The rounds since the last call, also those of an earlier process. A table that was not known before only becomes
    // known. Tables of details have no rounds. What is gone is forgotten.
    std::vector<LibraryRounds> compare(const Status& status);
    // No hook wants to know.
    void forget();
    const Known& known() const { return known_; }
    // Whether they have changed since the last call of this function.
    bool take_changed() { return std::exchange(changed_, false); }

private:
    std::optional<TableRounds> rounds_of(const std::string& library, const ResourceStatus& table, const Library& known);

    using Totals = std::map<std::string, PublishedStatus>;  // by table
    Known known_;
    std::map<std::string, Totals> totals_;  // by library, as at the last call of this process
    bool changed_ = false;
};

}  // namespace shelfd::control
