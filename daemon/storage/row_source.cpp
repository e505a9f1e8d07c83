#include "storage/row_source.hpp"

#include "storage/row_batch.hpp"

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <new>
#include <string>

// An eponymous virtual table, https://www.sqlite.org/vtab.html#tabfunc2: it appears in no schema.
namespace shelfd::storage {
namespace {

struct Source : sqlite3_vtab {
    int hidden = 0;  // the column of the argument
};

struct Cursor : sqlite3_vtab_cursor {
    const RowBatch* batch = nullptr;
    std::size_t row = 0;
};

Cursor& cursor_of(sqlite3_vtab_cursor* cursor)
{
    return *static_cast<Cursor*>(cursor);
}

// No exception may pass through SQLite's C code.
int connect(sqlite3* database, void* columns, int, const char* const*, sqlite3_vtab** made, char**) noexcept
try {
    const auto count = reinterpret_cast<std::uintptr_t>(columns);
    std::string definition = "CREATE TABLE x(";
    for (std::uintptr_t i = 0; i < count; ++i) {
        definition += "c" + std::to_string(i) + ", ";
    }
    auto source = std::make_unique<Source>();
    source->hidden = static_cast<int>(count);
    const int code = sqlite3_declare_vtab(database, (definition + "batch HIDDEN)").c_str());
    if (code == SQLITE_OK) {
        *made = source.release();
    }
    return code;
} catch (const std::bad_alloc&) {
    return SQLITE_NOMEM;
}

int disconnect(sqlite3_vtab* source) noexcept
{
    delete static_cast<Source*>(source);
    return SQLITE_OK;
}

int plan(sqlite3_vtab* source, sqlite3_index_info* query) noexcept
{
    for (int i = 0; i < query->nConstraint; ++i) {
        const auto& constraint = query->aConstraint[i];
        if (constraint.iColumn == static_cast<Source*>(source)->hidden && constraint.usable != 0 &&
            constraint.op == SQLITE_INDEX_CONSTRAINT_EQ) {
            query->aConstraintUsage[i].argvIndex = 1;
            query->aConstraintUsage[i].omit = 1;
            query->estimatedCost = 1;
            return SQLITE_OK;
        }
    }
    return SQLITE_CONSTRAINT;  // the table cannot be read without its argument
}

int open(sqlite3_vtab*, sqlite3_vtab_cursor** made) noexcept
{
    *made = new (std::nothrow) Cursor();
    return *made == nullptr ? SQLITE_NOMEM : SQLITE_OK;
}

int close(sqlite3_vtab_cursor* cursor) noexcept
{
    delete &cursor_of(cursor);
    return SQLITE_OK;
}

int filter(sqlite3_vtab_cursor* cursor, int, const char*, int, sqlite3_value** arguments) noexcept
{
    cursor_of(cursor).batch = static_cast<const RowBatch*>(sqlite3_value_pointer(arguments[0], row_batch_pointer));
    cursor_of(cursor).row = 0;
    return SQLITE_OK;
}

int next(sqlite3_vtab_cursor* cursor) noexcept
{
    ++cursor_of(cursor).row;
    return SQLITE_OK;
}

int is_at_end(sqlite3_vtab_cursor* cursor) noexcept
{
    const Cursor& at = cursor_of(cursor);
    return at.batch == nullptr || at.row >= at.batch->size() ? 1 : 0;
}

int column(sqlite3_vtab_cursor* cursor, sqlite3_context* into, int place) noexcept
{
    const Cursor& at = cursor_of(cursor);
    const auto value = at.batch->value(at.row, static_cast<std::size_t>(place));
    // No copy is needed: the batch does not change while a statement reads it.
    switch (value.what) {
    case StorageClass::null: break;
    case StorageClass::integer: sqlite3_result_int64(into, value.integer); break;
    case StorageClass::real: sqlite3_result_double(into, value.real); break;
    case StorageClass::text:
        sqlite3_result_text64(into, value.bytes.data(), value.bytes.size(), SQLITE_STATIC, SQLITE_UTF8);
        break;
    case StorageClass::blob: sqlite3_result_blob64(into, value.bytes.data(), value.bytes.size(), SQLITE_STATIC); break;
    }
    return SQLITE_OK;
}

int row_id(sqlite3_vtab_cursor* cursor, sqlite3_int64* id) noexcept
{
    *id = static_cast<sqlite3_int64>(cursor_of(cursor).row);
    return SQLITE_OK;
}

const sqlite3_module& module()
{
    static const sqlite3_module made = [] {
        sqlite3_module module = {};
        module.xConnect = connect;
        module.xDisconnect = disconnect;
        module.xBestIndex = plan;
        module.xOpen = open;
        module.xClose = close;
        module.xFilter = filter;
        module.xNext = next;
        module.xEof = is_at_end;
        module.xColumn = column;
        module.xRowid = row_id;
        return module;
    }();
    return made;
}

}  // namespace

int offer_row_source(sqlite3* database, const char* name, std::size_t columns)
{
    auto* const count = reinterpret_cast<void*>(static_cast<std::uintptr_t>(columns));
    return sqlite3_create_module_v2(database, name, &module(), count, nullptr);
}

}  // namespace shelfd::storage
