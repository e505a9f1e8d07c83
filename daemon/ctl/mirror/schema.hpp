// The tables of a mirror and what is known about their columns, read from the mirror itself.
#pragma once

#include "base/result.hpp"
#include "base/words/text_contents.hpp"
#include "storage/sqlite.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::ctl {

// Values of another type than the column's; they are kept exactly in `_exact`.
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
    std::string declared;     // "" without a type
    std::string key;          // the service's name; "" for a column of the daemon
    std::string kind;         // "" for a column of the daemon
    std::string since_run;    // "" for a column of the daemon
    std::string since;        // when that run began; "" if it is no longer kept
    std::int64_t in_key = 0;  // position in the primary key, from 1
    std::vector<DriftView> drift;
    TextContents contents = TextContents::other;  // of a text column, in a sample of its values
};

struct TableView {
    std::string name;
    std::string state;  // as in `freshness`; "" for a table that is not a resource
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

// Reads the tables and views for readers, or only `table` if it is not "". Errors: not_found, with the names.
Result<MirrorSchema> read_mirror_schema(storage::Database& database, const std::string& table);

// Valid SQL, with comments that say what is known.
std::string to_sql(const MirrorSchema& schema);
std::string to_json(const MirrorSchema& schema);

}  // namespace shelfd::ctl
