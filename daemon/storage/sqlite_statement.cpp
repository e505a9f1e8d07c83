#include "storage/sqlite.hpp"

#include "storage/row_batch.hpp"
#include "storage/row_source.hpp"
#include "storage/sqlite_error.hpp"
#include "storage/statement_cache.hpp"

#include <sqlite3.h>

#include <utility>

namespace shelfd::storage {

Statement::Statement(sqlite3* database, sqlite3_stmt* handle, std::shared_ptr<StatementCache> home)
    : database_(database), handle_(handle), home_(std::move(home))
{
}

Statement::Statement(Statement&& other) noexcept
    : database_(other.database_), handle_(std::exchange(other.handle_, nullptr)), home_(std::move(other.home_)),
      bind_error_(other.bind_error_)
{
}

Statement& Statement::operator=(Statement&& other) noexcept
{
    std::swap(database_, other.database_);
    std::swap(handle_, other.handle_);
    std::swap(home_, other.home_);
    std::swap(bind_error_, other.bind_error_);
    return *this;
}

Statement::~Statement()
{
    if (home_) {
        home_->give_back(handle_);
    }
}

void Statement::note(int code)
{
    if (code != SQLITE_OK && bind_error_ == SQLITE_OK) {
        bind_error_ = code;
    }
}

Statement& Statement::bind(int parameter, std::int64_t value)
{
    note(sqlite3_bind_int64(handle_, parameter, value));
    return *this;
}

Statement& Statement::bind(int parameter, double value)
{
    note(sqlite3_bind_double(handle_, parameter, value));
    return *this;
}

Statement& Statement::bind(int parameter, std::string_view text)
{
    // An empty view may have a null address, which SQLite would bind as NULL.
    const char* bytes = text.empty() ? "" : text.data();
    note(sqlite3_bind_text64(handle_, parameter, bytes, text.size(), SQLITE_STATIC, SQLITE_UTF8));
    return *this;
}

Statement& Statement::bind(int parameter, const std::optional<std::string>& text)
{
    return text ? bind(parameter, std::string_view(*text)) : bind_null(parameter);
}

Statement& Statement::bind_null(int parameter)
{
    note(sqlite3_bind_null(handle_, parameter));
    return *this;
}

Statement& Statement::bind_rows(int parameter, const RowBatch& rows)
{
    // SQLite passes the pointer on to row sources only, which do not write.
    note(sqlite3_bind_pointer(handle_, parameter, const_cast<RowBatch*>(&rows), row_batch_pointer, nullptr));
    return *this;
}

Result<bool> Statement::step()
{
    if (bind_error_ != SQLITE_OK) {
        return sqlite_error(database_, std::exchange(bind_error_, SQLITE_OK));
    }
    const int code = sqlite3_step(handle_);
    if (code == SQLITE_ROW) {
        return true;
    }
    if (code == SQLITE_DONE) {
        return false;
    }
    auto error = sqlite_error(database_, code);
    sqlite3_reset(handle_);
    return error;
}

Result<void> Statement::run()
{
    for (;;) {
        SHELFD_TRY_ASSIGN(row, step());
        if (!row) {
            reset();
            return {};
        }
    }
}

void Statement::reset()
{
    sqlite3_reset(handle_);
}
void Statement::clear_bindings()
{
    sqlite3_clear_bindings(handle_);
}

bool Statement::is_read_only() const
{
    return sqlite3_stmt_readonly(handle_) != 0;
}

int Statement::columns() const
{
    return sqlite3_column_count(handle_);
}
std::string_view Statement::column_name(int column) const
{
    return sqlite3_column_name(handle_, column);
}

StorageClass Statement::storage_class(int column) const
{
    switch (sqlite3_column_type(handle_, column)) {
    case SQLITE_INTEGER: return StorageClass::integer;
    case SQLITE_FLOAT: return StorageClass::real;
    case SQLITE_TEXT: return StorageClass::text;
    case SQLITE_BLOB: return StorageClass::blob;
    default: return StorageClass::null;
    }
}

std::int64_t Statement::integer(int column) const
{
    return sqlite3_column_int64(handle_, column);
}
double Statement::real(int column) const
{
    return sqlite3_column_double(handle_, column);
}

std::string_view Statement::text(int column) const
{
    const void* bytes = sqlite3_column_text(handle_, column);
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(handle_, column));
    return bytes == nullptr ? std::string_view() : std::string_view(static_cast<const char*>(bytes), size);
}

std::span<const std::byte> Statement::blob(int column) const
{
    const void* bytes = sqlite3_column_blob(handle_, column);
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(handle_, column));
    return {static_cast<const std::byte*>(bytes), bytes == nullptr ? 0 : size};
}

std::optional<std::string> Statement::optional_text(int column) const
{
    return is_null(column) ? std::nullopt : std::optional(std::string(text(column)));
}

Result<bool> Database::has_table(const std::string& table) const
{
    const int code = sqlite3_table_column_metadata(handle_, "main", table.c_str(), nullptr, nullptr, nullptr, nullptr,
                                                   nullptr, nullptr);
    return code == SQLITE_OK || code == SQLITE_ERROR ? Result<bool>(code == SQLITE_OK) : sqlite_error(handle_, code);
}

Result<Transaction> Transaction::begin(Database& database)
{
    SHELFD_TRY_ASSIGN(begin, database.prepare("BEGIN IMMEDIATE"));
    SHELFD_TRY(begin.run());
    return Transaction(database);
}

Transaction::~Transaction()
{
    // After some errors (full disk, I/O) SQLite has already rolled back; a second ROLLBACK would fail.
    if (database_ != nullptr && database_->in_transaction()) {
        (void)database_->execute("ROLLBACK");
    }
}

Result<void> Transaction::commit()
{
    SHELFD_TRY_ASSIGN(commit, database_->prepare("COMMIT"));
    SHELFD_TRY(commit.run());
    database_ = nullptr;
    return {};
}

}  // namespace shelfd::storage
