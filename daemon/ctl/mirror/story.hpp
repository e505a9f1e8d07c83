// Describes in words what a mirror knows about one table, or about one of its rows.
#pragma once

#include "base/result.hpp"
#include "storage/sqlite.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::ctl {

// What the daemon says of a table at the moment. The mirror knows neither that nor quiet hours.
struct PresentTable {
    std::string text = {};       // "" if no daemon answers
    std::string waits_for = {};  // what the next pass waits for, such as the end of quiet hours; "" = its time
    bool is_due = false;         // a pass runs, or is about to, whatever time the mirror names for the next one
};

// Reads only the mirror; what the daemon is doing now comes from the caller. `database` must outlive this object.
class ResourceStory {
public:
    ResourceStory(storage::Database& database, std::string resource, std::string library = "LIB",
                  PresentTable present = {})
        : database_(database), resource_(std::move(resource)), library_(std::move(library)),
          present_(std::move(present))
    {
    }

    // How fresh the table is and how that is known, what the last runs did, what waits, what drifted, what comes next.
    // Errors: not_found, with the existing tables.
    Result<std::string> of_resource();
    // Where the row is, what changed it, what it waits for. `key` as JSON or as typed: 42, abc, "abc", [1,"a"].
    Result<std::string> of_item(const std::string& key);
    // Both as one object of JSON; `key` "": no row.
    Result<std::string> as_json(const std::string& key);

private:
    Result<void> check_resource();
    Result<std::string> freshness();
    Result<std::string> parent_member();
    Result<std::string> lists();
    Result<std::string> list_of(const std::string& key);
    Result<std::string> proof();
    Result<std::string> runs();
    Result<std::string> drift();
    Result<std::string> row(const std::string& key);
    Result<std::string> absence(const std::string& key);
    Result<std::string> changes(const std::string& key);
    Result<std::optional<std::string>> item_json(const std::string& typed);
    std::string overdue() const;
    Result<void> check_key(const std::string& key);
    Result<std::string> key_of(const std::string& typed);
    Result<std::int64_t> passes_without(const std::string& key);
    Result<std::vector<std::string>> key_columns();
    Result<bool> has_row(const std::string& key);

    storage::Database& database_;
    std::string resource_;
    std::string library_;
    PresentTable present_;
};

}  // namespace shelfd::ctl
