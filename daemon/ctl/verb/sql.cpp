#include "base/words/named_command.hpp"
#include "base/words/names.hpp"
#include "ctl/comparison/compared_columns.hpp"
#include "ctl/comparison/sql_tokens.hpp"
#include "ctl/mirror/file.hpp"
#include "ctl/screen/sql_output.hpp"
#include "ctl/verb/verbs.hpp"
#include "storage/query.hpp"
#include "storage/sqlite.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace shelfd::ctl {
namespace {

// True if a statement is followed by something other than blanks, comments and semicolons.
bool holds_more(std::string_view rest)
{
    while (!rest.empty()) {
        if (rest.starts_with("--")) {
            rest.remove_prefix(std::min(rest.size(), rest.find('\n')));
        } else if (rest.starts_with("/*")) {
            const auto end = rest.find("*/", 2);
            rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 2);
        } else if (std::string_view(" \t\r\n;").find(rest.front()) != std::string_view::npos) {
            rest.remove_prefix(1);
        } else {
            return true;
        }
    }
    return false;
}

Value value_of(const storage::Statement& statement, int column)
{
    switch (statement.storage_class(column)) {
    case storage::StorageClass::null: return {};
    case storage::StorageClass::integer:
    case storage::StorageClass::real: return {ValueKind::number, statement.text(column)};
    case storage::StorageClass::text: return {ValueKind::text, statement.text(column)};
    case storage::StorageClass::blob: {
        const auto bytes = statement.blob(column);
        return {ValueKind::blob, {static_cast<const char*>(static_cast<const void*>(bytes.data())), bytes.size()}};
    }
    }
    std::abort();
}

// The name of a mirror in an ATTACH: in quotes if it is a word of SQL, and another one where SQLite has that name
// itself. Within double quotes of a shell.
std::string schema_name(const std::string& library)
{
    const bool is_taken = library == "main" || library == "temp";
    std::string name;
    for (const char c : sql_word(is_taken ? library + "_mirror" : library)) {
        name += c == '"' ? "\\\"" : std::string(1, c);
    }
    return name;
}

// How a mirror is joined with another database, which takes more than one statement.
std::string own_session(const std::string& path, const std::string& library)
{
    return fmt::format("ATTACH the mirror to your own database: sqlite3 my.db \"ATTACH '{}' AS {}\" \"SELECT …\"", path,
                       schema_name(library));
}

Result<storage::Statement> prepare(storage::Database& database, const std::string& sql, const std::string& path,
                                   const std::string& library)
{
    if (const auto tokens = split_sql(sql);
        !tokens.empty() && (tokens.front().is_word("attach") || tokens.front().is_word("detach"))) {
        return Error(ErrorKind::usage, "one statement at a time, in this mirror only; to join it with others, " +
                                           own_session(path, library));
    }
    std::string_view rest;
    auto statement = database.prepare(sql, rest);
    if (!statement) {
        return std::move(statement).error();
    }
    if (holds_more(rest)) {
        return Error(ErrorKind::usage,
                     fmt::format("only one statement at a time: there is another one after the first; type "
                                 "each by itself: shelfctl sql {} SQL",
                                 library));
    }
    if (!statement->is_read_only()) {
        return Error(ErrorKind::usage, "mirrors are read-only, because only the daemon writes them; for your own "
                                       "tables, " +
                                           own_session(path, library));
    }
    return statement;
}

Result<void> print_rows(storage::Statement& statement, Output output, Terminal& terminal)
{
    std::vector<std::string> columns;
    for (int i = 0; i < statement.columns(); ++i) {
        columns.emplace_back(statement.column_name(i));
    }
    const auto printer = make_row_printer(output, columns, terminal);
    std::vector<Value> values(columns.size());
    SHELFD_TRY(storage::each_row(statement, [&](const storage::Statement& row) {
        for (int i = 0; i < row.columns(); ++i) {
            values[static_cast<std::size_t>(i)] = value_of(row, i);
        }
        printer->row(values);
    }));
    printer->end();
    return {};
}

// Adds which tables there are to the error about an unknown one, and how to list tables and columns.
Error with_names(const Error& error, storage::Database& database, const std::string& library)
{
    const auto& text = error.text();
    constexpr std::string_view no_table = "no such table: ";
    if (text.starts_with("no such column: ")) {
        return Error(error.kind(), fmt::format("{}; columns are listed by: shelfctl schema {}", text, library));
    }
    if (!text.starts_with(no_table)) {
        return error.kind() != ErrorKind::usage || names_command(text)
                   ? error
                   : Error(error.kind(),
                           fmt::format("{}; tables and columns are listed by: shelfctl schema {}", text, library));
    }
    auto names = storage::read_texts(database, "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') "
                                               "AND substr(name, 1, 1) <> '_' AND name NOT LIKE 'sqlite%' "
                                               "ORDER BY name");
    const auto typed = text.substr(no_table.size(), text.find(' ', no_table.size()) - no_table.size());
    return names ? Error(error.kind(), fmt::format("{}; known: {}; columns are listed by: shelfctl schema {}", text,
                                                   list_nearest_first(typed, std::move(*names)), library))
                 : error;
}

Result<void> ask(const std::string& path, const std::string& sql, const Context& context)
{
    SHELFD_TRY_ASSIGN(database, open_to_read(path));
    auto statement = prepare(database, sql, path, context.command.library);
    if (!statement) {
        return with_names(statement.error(), database, context.command.library);
    }
    SHELFD_TRY(print_rows(*statement, context.command.output, context.terminal));
    if (const auto note = comparison_note(find_compared_columns(database, sql)); !note.empty()) {
        context.terminal.complain(note);
    }
    return {};
}

}  // namespace

ExitCode run_sql(const Context& context)
{
    const auto path = find_mirror(context);
    if (!path) {
        return fail(context, path.error());
    }
    auto sql = context.command.read.sql;
    if (sql == "-") {
        const auto given =
            context.read_input("", "no query was given: write it on the command line, or redirect it: < query.sql");
        if (!given) {
            return fail(context, given.error());
        }
        sql = given->reveal();
    }
    if (const auto asked = ask(*path, sql, context); !asked) {
        const auto code = fail(context, asked.error());
        return code == ExitCode::usage ? ExitCode::failed : code;  // the command line was right, the SQL was not
    }
    return ExitCode::done;
}

}  // namespace shelfd::ctl
