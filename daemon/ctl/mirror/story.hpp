// What a mirror knows of one table, or of one row of it, in words.
#pragma once

#include "base/result.hpp"
#include "storage/sqlite.hpp"

#include <string>
#include <vector>

namespace shelfd::ctl {

// Reads the mirror only: what the daemon does at this moment it cannot know. `database` outlives it.
class ResourceStory {
public:
    ResourceStory(storage::Database& database, std::string resource)
        : database_(database), resource_(std::move(resource))
    {
    }

    // How fresh it is and how that is known, what the last runs did, what waits, drifted, and comes next.
    // Errors: not_found, naming the tables there are.
    Result<std::string> of_resource();
    // Where the row is, what changed it, what it waits for. `key` as JSON or as typed: 42, abc, "abc", [1,"a"].
    Result<std::string> of_item(const std::string& key);

private:
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
    Result<std::vector<std::string>> key_columns();
    Result<bool> has_row(const std::string& key);

    storage::Database& database_;
    std::string resource_;
};

}  // namespace shelfd::ctl
