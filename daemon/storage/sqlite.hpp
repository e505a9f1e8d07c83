// SQLite as a safe object: connections with one durability policy, statements with bound parameters, transactions
// that roll back by themselves.
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
    read_write_create,  // the one connection that writes this file, and checkpoints it
    read_only,          // a reader: never creates, never checkpoints
    scratch,            // a file that nobody reads yet: no journal, and whoever made it syncs it
};

enum class CheckpointMode {
    passive,   // as much as readers allow, without waiting
    truncate,  // everything, and the WAL shrinks to nothing; does nothing while a reader pins the WAL
};

// What SQLite stored, as SQLite names it.
enum class StorageClass { null, integer, real, text, blob };

class RowBatch;
class Statement;
class StatementCache;

// One connection. Not for two threads at once; may move between threads. Outlives its transactions; a
// statement that ends later does no harm.
// Errors carry SQLite's extended message; their kind is busy (locked by another connection), corrupt (not a database,
// malformed), usage (the SQL itself is wrong), permission (read-only) or storage (everything else: full disk, I/O).
class Database {
public:
    // The caller makes the file, with its mode, before the first `read_write_create`: SQLite gives -wal and -shm the
    // mode of the file it finds. A read-only file opened for writing is an error, not a silent reader.
    static Result<Database> open(const std::string& path, OpenMode mode);

    Database(Database&& other) noexcept;
    Database& operator=(Database&& other) noexcept;
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;
    ~Database();

    // Any number of statements without parameters; the first failure ends it.
    Result<void> execute(std::string_view sql);
    // A statement that will run often should be prepared once and kept. One that ended is kept for the next who asks
    // for the same text.
    Result<Statement> prepare(std::string_view sql);
    // The first statement of `sql`; `rest` is what stands behind it.
    Result<Statement> prepare(std::string_view sql, std::string_view& rest);

    // Of the last INSERT, UPDATE or DELETE.
    std::int64_t changes() const;
    bool in_transaction() const;

    // Another file as `name`, for reading; of a `scratch` connection. It takes part in this one's transactions.
    Result<void> attach_read_only(const std::string& path, const std::string& name);

    // True when the whole WAL was copied back; false when a reader pins it.
    Result<bool> checkpoint(CheckpointMode mode);
    const std::string& path() const { return path_; }
    // Bytes of the -wal file now; 0 when there is none.
    std::uint64_t wal_bytes() const;
    // Lets go of the pages that it keeps in memory and need not write: up to cache_size.
    void release_memory();

    // For all connections of the process together: beyond so many bytes, each makes do with the pages of the file that
    // it keeps in memory, and keeps no more of them. Before the first of them is opened.
    static void limit_memory(std::uint64_t bytes);

    // The first finding of PRAGMA quick_check; nothing when the file is sound.
    Result<std::optional<std::string>> quick_check();

    // An SQL function of one integer, for statements of this connection only; a later definition replaces it, at no
    // price: SQLite would compile every statement anew if it were told.
    Result<void> define_predicate(const std::string& name, std::function<bool(std::int64_t)> predicate);

    // What a statement calls a RowBatch of at most so many columns, 1,999 at most: FROM name(?). Several may have the
    // same.
    Result<std::string> row_source(std::size_t columns);

    // The library's own handle, for calls this class does not wrap.
    sqlite3* handle() const { return handle_; }

private:
    Database(sqlite3* handle, std::string path);
    sqlite3* handle_ = nullptr;
    std::string path_;
    using Predicate = std::function<bool(std::int64_t)>;
    std::map<std::string, std::unique_ptr<Predicate>> predicates_;  // by name
    std::set<std::string> row_sources_;
    std::shared_ptr<StatementCache> statements_;  // one that ends after its connection finds it closed
};

// A prepared statement. Parameters count from 1, columns from 0. What is bound as text or blob must stay alive and
// unchanged until the next reset, rebind or the end of the statement: nothing is copied.
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
    // For a row source alone; elsewhere it is null.
    Statement& bind_rows(int parameter, const RowBatch& rows);

    // True when there is a row to read. Binding errors (a value beyond SQLite's limits) show here, too.
    Result<bool> step();
    // Runs to the end and resets; for statements whose rows nobody wants.
    Result<void> run();
    // Ready to run again; bound values stay.
    void reset();
    void clear_bindings();

    // False for whatever may write to a file, VACUUM INTO included.
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

// BEGIN IMMEDIATE; rolled back at the end of its life unless committed. After a failed commit it is rolled back, too.
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
