#include "storage/statement_cache.hpp"

#include <sqlite3.h>

#include <algorithm>

namespace shelfd::storage {
namespace {

constexpr std::size_t max_idle = 64;

std::string_view text_of(sqlite3_stmt* statement)
{
    return sqlite3_sql(statement);
}

// Other statements run once, or do part of their work when compiled, as some PRAGMAs do.
bool is_worth_keeping(std::string_view sql)
{
    sql.remove_prefix(std::min(sql.find_first_not_of(" \n"), sql.size()));
    for (const std::string_view verb : {"SELECT", "INSERT", "UPDATE", "DELETE", "WITH", "BEGIN", "COMMIT"}) {
        if (sql.starts_with(verb)) {
            return true;
        }
    }
    return false;
}

}  // namespace

sqlite3_stmt* StatementCache::take(std::string_view sql)
{
    const auto found = std::find_if(idle_.rbegin(), idle_.rend(), [sql](auto* idle) { return text_of(idle) == sql; });
    if (found == idle_.rend()) {
        return nullptr;
    }
    auto* statement = *found;
    idle_.erase(std::prev(found.base()));
    return statement;
}

void StatementCache::give_back(sqlite3_stmt* statement)
{
    if (statement == nullptr) {
        return;
    }
    const bool ended_well = sqlite3_reset(statement) == SQLITE_OK;
    if (is_closed_ || !ended_well || !is_worth_keeping(text_of(statement))) {
        sqlite3_finalize(statement);
        return;
    }
    sqlite3_clear_bindings(statement);
    if (idle_.size() == max_idle) {
        sqlite3_finalize(idle_.front());
        idle_.erase(idle_.begin());
    }
    idle_.push_back(statement);
}

void StatementCache::close()
{
    is_closed_ = true;
    for (auto* statement : idle_) {
        sqlite3_finalize(statement);
    }
    idle_.clear();
}

}  // namespace shelfd::storage
