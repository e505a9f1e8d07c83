// Caches a connection's compiled statements: compiling was a fifth of the CPU of a pass without changes (measured with
// perf).
#pragma once

#include <string_view>
#include <vector>

struct sqlite3_stmt;

namespace shelfd::storage {

// Not thread-safe. A statement is either here or in use; the same text may be in use twice.
class StatementCache {
public:
    StatementCache() = default;
    StatementCache(const StatementCache&) = delete;
    StatementCache& operator=(const StatementCache&) = delete;
    ~StatementCache() { close(); }

    // Returns an idle statement with exactly this text, without bound values, or null. SQLite recompiles it by itself
    // if the schema has changed (https://www.sqlite.org/c3ref/prepare.html, on sqlite3_prepare_v3).
    sqlite3_stmt* take(std::string_view sql);
    // Takes back a statement, or null. When there are too many, drops the one that was idle longest.
    void give_back(sqlite3_stmt* statement);
    // Finalizes all of them, and from now on every statement that is given back.
    void close();

private:
    std::vector<sqlite3_stmt*> idle_;  // newest last
    bool is_closed_ = false;
};

}  // namespace shelfd::storage
