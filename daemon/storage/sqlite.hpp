// SQLite as a safe object: connections with one durability policy, statements with bound parameters, transactions that
// roll back automatically.
#pragma once

#include "base/result.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace shelfd::storage {

enum class OpenMode {
    read_write_create,  // the one connection that writes this file and runs checkpoints
    read_only,          // a reader: never creates, never checkpoints
    scratch,            // a file that nobody reads yet: no journal; its creator syncs it
};

enum class CheckpointMode {
    passive,   // as much as readers allow, without waiting
    truncate,  // everything, and truncates the WAL; does nothing while a reader pins the WAL
};

// SQLite's storage classes.
enum class StorageClass { null, integer, real, text, blob };

class RowBatch;
class Statement;
class StatementCache;

// One connection. Not thread-safe; may move between threads. Must outlive its transactions; a statement may be
// destroyed later.
// Errors carry SQLite's extended message; kinds: busy (locked by another connection), corrupt (not a database,
// malformed), usage (invalid SQL), permission (read-only) or storage (everything else: full disk, I/O).
class Database {
public:
    // The caller creates the file, with its mode, before the first `read_write_create`: SQLite gives -wal and -shm the
    // mode of the existing file. Opening a read-only file for writing is an error; SQLite itself would silently open it
    // for reading.
    static Result<Database> open(const std::string& path, OpenMode mode);

    Database(Database&& other) noexcept;
    Database& operator=(Database&& other) noexcept;
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;
    ~Database();

    // Runs any number of statements without parameters; stops at the first failure.
    Result<void> execute(std::string_view sql);
    // Prepare a frequent statement once and keep it. A destroyed statement is cached and returned for the same text.
    Result<Statement> prepare(std::string_view sql);
    // Prepares the first statement of `sql`; sets `rest` to the text after it.
    Result<Statement> prepare(std::string_view sql, std::string_view& rest);

    // Rows changed by the last INSERT, UPDATE or DELETE.
    std::int64_t changes() const;
    bool in_transaction() const;
    // Views are no tables. What another connection created or dropped counts from the next statement on. Reads nothing:
    // a query of sqlite_schema would decode all of it (measured: a fifth of the reading of a poll).
    Result<bool> has_table(const std::string& table) const;

    // Attaches another file as `name`, for reading; only on a `scratch` connection. Takes part in its transactions.
    Result<void> attach_read_only(const std::string& path, const std::string& name);

    // True if the whole WAL was copied back; false if a reader pins it.
    Result<bool> checkpoint(CheckpointMode mode);
    const std::string& path() const { return path_; }
    // Current size of the -wal file in bytes; 0 if there is none.
    std::uint64_t wal_bytes() const;
    // What its cached pages take in memory.
    std::uint64_t cached_bytes() const;
    // Frees cached pages that need not be written; outside a transaction, all of them.
    void release_memory();

    // The first finding of PRAGMA quick_check; an empty optional if the file is sound.
    Result<std::optional<std::string>> quick_check();

    // Defines an SQL function of one integer, for statements of this connection only. Defining it again is cheap: it
    // does not go through SQLite, which would recompile every statement.
    Result<void> define_predicate(const std::string& name, std::function<bool(std::int64_t)> predicate);

    // Defines an SQL function of one value, read as text, for the same statements. Defining it again has no effect.
    Result<void> define_text_function(const std::string& name, std::int64_t (*function)(std::string_view));

    // Returns the name of a row source for a RowBatch of at most `columns` columns (at most 1,999): FROM name(?).
    // Several widths may share a name.
    Result<std::string> row_source(std::size_t columns);

    // SQLite's own handle, for calls that this class does not wrap.
    sqlite3* handle() const { return handle_; }

private:
    Database(sqlite3* handle, std::string path);
    sqlite3* handle_ = nullptr;
    std::string path_;
    using Predicate = std::function<bool(std::int64_t)>;
    std::map<std::string, std::unique_ptr<Predicate>> predicates_;  // by name
    std::set<std::string> text_functions_;
    std::set<std::string> row_sources_;
    std::shared_ptr<StatementCache> statements_;  // shared with statements, which may be destroyed after the connection
};

// A prepared statement. Parameters count from 1, columns from 0. Bound text and blobs are not copied: they must stay
// alive and unchanged until the next reset, rebind or the end of the statement.
class Statement {
public:
    Statement(Statement&& other) noexcept;
    Statement& operator=(Statement&& other) noexcept;
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;
    ~Statement();

    Statement& bind(int parameter, std::int64_t value);
    Statement& bind(int parameter, double value);
    Statement& bind(int parameter, std::string_view text);
    Statement& bind(int parameter, const std::optional<std::string>& text);
    Statement& bind_null(int parameter);
    // For a row source only; elsewhere the value is null.
    Statement& bind_rows(int parameter, const RowBatch& rows);

    // True if there is a row to read. Also returns binding errors (a value beyond SQLite's limits).
    Result<bool> step();
    // Runs to the end and resets; for statements whose rows are not needed.
    Result<void> run();
    // Makes it ready to run again; bound values are kept.
    void reset();
    void clear_bindings();

    // False for any statement that may write to a file, including VACUUM INTO.
    bool is_read_only() const;
    int columns() const;
    std::string_view column_name(int column) const;
    StorageClass storage_class(int column) const;
    bool is_null(int column) const { return storage_class(column) == StorageClass::null; }
    std::int64_t integer(int column) const;
    double real(int column) const;
    // Valid until the next step, reset or conversion of the same column.
    std::string_view text(int column) const;
    std::span<const std::byte> blob(int column) const;
    std::optional<std::string> optional_text(int column) const;

private:
    friend class Database;
    Statement(sqlite3* database, sqlite3_stmt* handle, std::shared_ptr<StatementCache> home);
    void note(int code);

    sqlite3* database_ = nullptr;
    sqlite3_stmt* handle_ = nullptr;
    std::shared_ptr<StatementCache> home_;
    int bind_error_ = 0;
};

// BEGIN IMMEDIATE. Rolls back when destroyed, unless committed. After a failed commit it also rolls back.
class Transaction {
public:
    static Result<Transaction> begin(Database& database);

    Transaction(Transaction&& other) noexcept : database_(other.database_) { other.database_ = nullptr; }
    Transaction& operator=(Transaction&&) = delete;
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    ~Transaction();

    Result<void> commit();

private:
    explicit Transaction(Database& database) : database_(&database) {}
    Database* database_;
};

}  // namespace shelfd::storage
