#include "storage/sqlite.hpp"

#include "storage/opening.hpp"
#include "storage/row_source.hpp"
#include "storage/sqlite_error.hpp"
#include "storage/statement_cache.hpp"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/mman.h>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <memory>
#include <utility>

namespace shelfd::storage {

namespace {

constexpr int busy_wait_ms = 5000;

// Durability and sizes of all connections that write:
// - WAL with synchronous=NORMAL: a power cut may lose the last commits, but never damages the file; a mirror is a
//   cache.
// - 16 KiB pages: rows of 1.5 kB leave half of a 4 KiB page empty (measured: 22 % slower, 16 % larger).
// - journal_size_limit: a checkpoint truncates the WAL to the size that one automatic checkpoint fills.
// - legacy_alter_table: renaming a staging table must not rewrite or check views.
// - cache_size: 2 MiB; 16 MiB is not faster for page-wise loads (measured).
// - secure_delete: Debian's SQLite fills each freed page with zeros, which writes a table once more when it is dropped.
//   FAST leaves free pages as they are, but still clears deleted data inside a page and each page that is reused; data
//   that must be gone is overwritten by mirror/declare/reset_table.
constexpr const char* writer_policy = R"sql(
    PRAGMA page_size = 16384;
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    PRAGMA wal_autocheckpoint = 1000;
    PRAGMA journal_size_limit = 16777216;
    PRAGMA legacy_alter_table = ON;
    PRAGMA foreign_keys = OFF;
    PRAGMA temp_store = MEMORY;
    PRAGMA cache_size = -2048;
    PRAGMA secure_delete = FAST;
)sql";

// Not durable: the file gets its final name only after it was synced, and is discarded after a power cut.
constexpr const char* scratch_policy = R"sql(
    PRAGMA page_size = 16384;
    PRAGMA journal_mode = OFF;
    PRAGMA synchronous = OFF;
    PRAGMA temp_store = MEMORY;
    PRAGMA cache_size = -2048;
)sql";

constexpr const char* reader_policy = R"sql(
    PRAGMA query_only = ON;
    PRAGMA temp_store = MEMORY;
    PRAGMA cache_size = -2048;
)sql";

// Otherwise the last connection deletes -wal and -shm when it closes, and readers that may not create them fail.
Result<void> keep_wal_files(sqlite3* handle)
{
    int on = 1;
    const int code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &on);
    if (code != SQLITE_OK) {
        return sqlite_error(handle, code);
    }
    return {};
}

void call_predicate(sqlite3_context* context, int, sqlite3_value** arguments)
{
    const auto* predicate = static_cast<std::function<bool(std::int64_t)>*>(sqlite3_user_data(context));
    sqlite3_result_int(context, (*predicate)(sqlite3_value_int64(arguments[0])) ? 1 : 0);
}

void call_text_function(sqlite3_context* context, int, sqlite3_value** arguments)
{
    const auto function = reinterpret_cast<std::int64_t (*)(std::string_view)>(sqlite3_user_data(context));
    const auto* const text = reinterpret_cast<const char*>(sqlite3_value_text(arguments[0]));
    const auto size = static_cast<std::size_t>(sqlite3_value_bytes(arguments[0]));
    sqlite3_result_int64(context, function(text == nullptr ? std::string_view() : std::string_view(text, size)));
}

const char* policy_of(OpenMode mode)
{
    switch (mode) {
    case OpenMode::read_write_create: return writer_policy;
    case OpenMode::read_only: return reader_policy;
    case OpenMode::scratch: return scratch_policy;
    }
    std::abort();
}

// Where the index of a WAL is mapped. SQLite allocates 4 KiB of it by writing one byte, which leaves holes on file
// systems with smaller blocks; on a full disk a store into a hole would end the process (SIGBUS, seen on ext4).
void* map_allocated(void* place, std::size_t length, int protection, int flags, int file, off_t offset)
{
    const bool is_written = (protection & PROT_WRITE) != 0 && file >= 0;
    if (is_written && ::fallocate(file, 0, offset, static_cast<off_t>(length)) != 0 &&
        (errno == ENOSPC || errno == EDQUOT)) {
        return MAP_FAILED;
    }
    return ::mmap(place, length, protection, flags, file, offset);
}

// Called once, before the first connection of the process. A connection allocates pages as it needs them (by default 20
// of our 16 KiB at once: 320 KiB for each open mirror). Memory statistics are off: they take a process-wide lock for
// each allocation (measured with 100 libraries loaded at once: 1.3 times the wall and the CPU). A heap limit would turn
// them on again. Has no effect if SQLite was used before.
void configure_sqlite()
{
    [[maybe_unused]] static const int done = [] {
        sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
        sqlite3_config(SQLITE_CONFIG_PAGECACHE, nullptr, 0, 0);
        sqlite3_vfs* files = sqlite3_vfs_find(nullptr);
        return files->xSetSystemCall(files, "mmap", reinterpret_cast<sqlite3_syscall_ptr>(map_allocated));
    }();
}

}  // namespace

Result<Database> Database::open(const std::string& path, OpenMode mode)
{
    configure_sqlite();
    SHELFD_TRY(check_waits_for_nobody(path));
    const bool writes = mode != OpenMode::read_only;
    // One thread at a time uses a connection, so SQLite's own mutexes would only cost time.
    const int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE |
                      (writes ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY) |
                      (mode == OpenMode::scratch ? SQLITE_OPEN_URI : 0);
    sqlite3* handle = nullptr;
    const int code = sqlite3_open_v2(path.c_str(), &handle, flags, nullptr);
    Database database(handle, path);
    if (code != SQLITE_OK) {
        return sqlite_error(handle, code).in(fmt::format("cannot open {}", path));
    }
    sqlite3_busy_timeout(handle, busy_wait_ms);
    if (auto kept = keep_wal_files(handle); !kept) {
        return std::move(kept).error().in(fmt::format("cannot open {}", path));
    }
    if (auto set = database.execute(policy_of(mode)); !set) {
        return std::move(set).error().in(fmt::format("cannot open {}", path));
    }
    if (writes && sqlite3_db_readonly(handle, "main") == 1) {
        return Error(ErrorKind::permission, fmt::format("cannot open {} for writing: it is read-only", path));
    }
    return database;
}

Result<void> Database::attach_read_only(const std::string& path, const std::string& name)
{
    SHELFD_TRY(check_waits_for_nobody(path));
    SHELFD_TRY_ASSIGN(attach, prepare("ATTACH ? AS " + name));
    const auto uri = read_only_uri(path, Writers::perhaps);
    attach.bind(1, std::string_view(uri));
    auto attached = attach.run();
    return attached ? Result<void>() : std::move(attached).error().in("cannot open " + path);
}

Database::Database(sqlite3* handle, std::string path)
    : handle_(handle), path_(std::move(path)), statements_(std::make_shared<StatementCache>())
{
}

Database::Database(Database&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)), path_(std::move(other.path_)),
      predicates_(std::move(other.predicates_)), text_functions_(std::move(other.text_functions_)),
      row_sources_(std::move(other.row_sources_)), statements_(std::move(other.statements_))
{
}

Database& Database::operator=(Database&& other) noexcept
{
    std::swap(handle_, other.handle_);
    std::swap(path_, other.path_);
    std::swap(predicates_, other.predicates_);
    std::swap(text_functions_, other.text_functions_);
    std::swap(row_sources_, other.row_sources_);
    std::swap(statements_, other.statements_);
    return *this;
}

Database::~Database()
{
    if (statements_) {
        statements_->close();
    }
    sqlite3_close_v2(handle_);
}

Result<void> Database::execute(std::string_view sql)
{
    const std::string text(sql);
    const int code = sqlite3_exec(handle_, text.c_str(), nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) {
        return sqlite_error(handle_, code);
    }
    return {};
}

Result<Statement> Database::prepare(std::string_view sql)
{
    if (auto* idle = statements_->take(sql)) {
        return Statement(handle_, idle, statements_);
    }
    std::string_view ignored;
    return prepare(sql, ignored);
}

Result<Statement> Database::prepare(std::string_view sql, std::string_view& rest)
{
    sqlite3_stmt* statement = nullptr;
    const char* end = nullptr;
    const int code = sqlite3_prepare_v3(handle_, sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT,
                                        &statement, &end);
    if (code != SQLITE_OK) {
        return sqlite_error(handle_, code);
    }
    if (statement == nullptr) {
        return Error(ErrorKind::usage, "no SQL statement");
    }
    rest = sql.substr(static_cast<std::size_t>(end - sql.data()));
    return Statement(handle_, statement, statements_);
}

std::int64_t Database::changes() const
{
    return sqlite3_changes64(handle_);
}
bool Database::in_transaction() const
{
    return sqlite3_get_autocommit(handle_) == 0;
}

// Widths are rounded up, so that a connection registers only a few row sources.
Result<std::string> Database::row_source(std::size_t columns)
{
    const auto width = std::min<std::size_t>(std::bit_ceil(std::max<std::size_t>(columns, 8)), 1'999);
    auto name = fmt::format("_rows_{}", width);
    if (!row_sources_.contains(name)) {
        if (const int code = offer_row_source(handle_, name.c_str(), width); code != SQLITE_OK) {
            return sqlite_error(handle_, code);
        }
        row_sources_.insert(name);
    }
    return name;
}

Result<bool> Database::checkpoint(CheckpointMode mode)
{
    const bool truncate = mode == CheckpointMode::truncate;
    // A reader may pin the WAL for hours; do not block a worker thread for it.
    sqlite3_busy_timeout(handle_, 0);
    int frames = 0;
    int copied = 0;
    const int code = sqlite3_wal_checkpoint_v2(
        handle_, "main", truncate ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE, &frames, &copied);
    sqlite3_busy_timeout(handle_, busy_wait_ms);
    if ((code & 0xff) == SQLITE_BUSY || (code & 0xff) == SQLITE_LOCKED) {
        return false;
    }
    if (code != SQLITE_OK) {
        return sqlite_error(handle_, code);
    }
    return frames == copied;
}

std::uint64_t Database::wal_bytes() const
{
    struct stat facts = {};
    return ::stat((path_ + "-wal").c_str(), &facts) == 0 ? static_cast<std::uint64_t>(facts.st_size) : 0;
}

std::uint64_t Database::cached_bytes() const
{
    int bytes = 0;
    int highest = 0;
    sqlite3_db_status(handle_, SQLITE_DBSTATUS_CACHE_USED, &bytes, &highest, 0);
    return static_cast<std::uint64_t>(bytes);
}

void Database::release_memory()
{
    sqlite3_db_release_memory(handle_);
}

Result<std::optional<std::string>> Database::quick_check()
{
    const auto finding = [](Error error) -> Result<std::optional<std::string>> {
        if (error.kind() == ErrorKind::corrupt) {
            return std::optional(error.text());
        }
        return error;
    };
    auto check = prepare("PRAGMA quick_check(1)");
    if (!check) {
        return finding(std::move(check).error());
    }
    auto row = check->step();
    if (!row) {
        return finding(std::move(row).error());
    }
    std::string said(*row ? check->text(0) : "no answer");
    std::replace(said.begin(), said.end(), '\n', ' ');  // "*** in database main ***\nTree 5 page 7 …"
    return said == "ok" ? std::nullopt : std::optional(std::move(said));
}

Result<void> Database::define_predicate(const std::string& name, std::function<bool(std::int64_t)> predicate)
{
    auto& known = predicates_[name];
    if (known) {
        *known = std::move(predicate);
        return {};
    }
    auto fresh = std::make_unique<Predicate>(std::move(predicate));
    const int code = sqlite3_create_function_v2(handle_, name.c_str(), 1, SQLITE_UTF8 | SQLITE_DIRECTONLY, fresh.get(),
                                                call_predicate, nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) {
        return sqlite_error(handle_, code);
    }
    known = std::move(fresh);
    return {};
}

Result<void> Database::define_text_function(const std::string& name, std::int64_t (*function)(std::string_view))
{
    if (text_functions_.contains(name)) {
        return {};
    }
    const int code =
        sqlite3_create_function_v2(handle_, name.c_str(), 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY,
                                   reinterpret_cast<void*>(function), call_text_function, nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) {
        return sqlite_error(handle_, code);
    }
    text_functions_.insert(name);
    return {};
}

}  // namespace shelfd::storage
