// Statements that a connection has compiled already: compiling was a fifth of the CPU of a pass that finds nothing
// (measured with perf).
#pragma once

#include <string_view>
#include <vector>

struct sqlite3_stmt;

namespace shelfd::storage {

// Not for two threads at once. A statement is either here or in use: the same text may be in use twice.
class StatementCache {
public:
    StatementCache() = default;
    StatementCache(const StatementCache&) = delete;
    StatementCache& operator=(const StatementCache&) = delete;
    ~StatementCache() { close(); }

    // One with exactly this text, without bound values; null = none is idle. SQLite compiles it anew by itself where
    // the schema has changed since (https://www.sqlite.org/c3ref/prepare.html, on sqlite3_prepare_v3).
    sqlite3_stmt* take(std::string_view sql);
    // Takes over what nobody uses any more, null included. The one that was idle longest goes when there are too many.
    void give_back(sqlite3_stmt* statement);
    // Finalizes all of them, and from now on what is given back.
    void close();

private:
    std::vector<sqlite3_stmt*> idle_;  // the newest last
    bool is_closed_ = false;
};

}  // namespace shelfd::storage
