#include "storage/sqlite_error.hpp"

#include <sqlite3.h>

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

namespace shelfd::storage {

namespace {

ErrorKind kind_of(int code)
{
    if (code == SQLITE_IOERR_SHORT_READ) {
        return ErrorKind::corrupt;  // the file is shorter than its header says
    }
    switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return ErrorKind::busy;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: return ErrorKind::corrupt;
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH: return ErrorKind::permission;
    case SQLITE_ERROR:
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
    case SQLITE_MISUSE:
    case SQLITE_RANGE: return ErrorKind::usage;
    default: return ErrorKind::storage;
    }
}

bool speaks_of_a_file(int code)
{
    switch (code & 0xff) {
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
    case SQLITE_FULL: return true;
    default: return false;
    }
}

// True if a person must know the path to correct the error: to free space, or to remount the disk for writing.
bool wants_place(int code)
{
    const int kind = code & 0xff;
    return kind == SQLITE_FULL || kind == SQLITE_IOERR || kind == SQLITE_READONLY;
}

}  // namespace

Error sqlite_error(sqlite3* database, int code)
{
    const int extended = database != nullptr ? sqlite3_extended_errcode(database) : code;
    // The connection keeps the message of its last failure only; use it only if it belongs to this code.
    const bool same = (extended & 0xff) == (code & 0xff);
    const int known = same ? extended : code;
    const char* words = same && database != nullptr ? sqlite3_errmsg(database) : sqlite3_errstr(code);
    const int cause = same && database != nullptr && speaks_of_a_file(known) ? sqlite3_system_errno(database) : 0;
    std::string text = fmt::format("{} (SQLite {})", words, known);
    const char* file = database != nullptr && wants_place(known) ? sqlite3_db_filename(database, "main") : nullptr;
    if (file != nullptr && *file != '\0') {
        text += fmt::format(", {}", file);
    }
    if (cause != 0) {
        text += fmt::format(": {}", std::strerror(cause));
    }
    const bool is_full = (known & 0xff) == SQLITE_FULL;
    auto error = Error(kind_of(known), std::move(text)).with_errno(is_full ? ENOSPC : cause);
    error.sqlite = known;
    return error;
}

bool is_denied_a_file(const Error& error)
{
    const int kind = error.sqlite & 0xff;
    return kind == SQLITE_READONLY || kind == SQLITE_CANTOPEN;
}

const char* sqlite_version()
{
    return sqlite3_libversion();
}

}  // namespace shelfd::storage
