// The tables of a mirror with what is known about their columns, read from the mirror itself.
#pragma once

#include "base/result.hpp"
#include "storage/sqlite.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::ctl {

// Values of another type than the column is made for; they are kept exactly in `_exact`.
struct DriftView {
    std::string found;
    std::uint64_t items = 0;
    std::string item_key;  // of the last one
    std::string sample;
    std::string first_seen;
    std::string last_seen;
};

struct ColumnView {
    std::string name;
    std::string declared;     // "" when it has no type
    std::string key;          // as the service names it; "" for a column of ours
    std::string kind;         // "" for a column of ours
    std::string since_run;    // "" for a column of ours
    std::string since;        // when that run began; "" when it is not kept any more
    std::int64_t in_key = 0;  // place in the primary key, from 1
    std::vector<DriftView> drift;
};

struct TableView {
    std::string name;
    std::string state;  // as `freshness` says; "" for a table that is no resource by itself
    std::string as_of;
    std::uint64_t rows = 0;
    std::vector<ColumnView> columns;
};

struct ViewView {
    std::string name;
    std::vector<std::string> columns;
};

struct MirrorSchema {
    std::vector<TableView> tables;
    std::vector<ViewView> views;
};

// Tables and views that are for readers; of one table alone where `table` is not "". Errors: not_found, naming those
// there are.
Result<MirrorSchema> read_mirror_schema(storage::Database& database, const std::string& table);

// Valid SQL, with what is known in comments.
std::string to_sql(const MirrorSchema& schema);
std::string to_json(const MirrorSchema& schema);

}  // namespace shelfd::ctl
