#include "ctl/mirror/schema.hpp"

#include "ctl/comparison/sql_tokens.hpp"
#include "ctl/mirror/mirror_format.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace shelfd::ctl {
namespace {

namespace json = boost::json;

// On one line, whatever it contains.
std::string quoted(const std::string& text)
{
    return json::serialize(json::string_view(text));
}

std::string comment(const ColumnView& column)
{
    if (column.name == "_shape") {
        return "which keys the item has: _shapes";
    }
    if (column.name == "_exact") {
        return "JSON of the values that their columns cannot hold exactly; NULL in nearly every row";
    }
    if (column.kind.empty()) {
        return "";
    }
    auto text = column.kind == "undecided" ? std::string("only null so far") : column.kind;
    if (column.key != column.name) {
        text += ", key " + quoted(column.key);
    }
    text += fmt::format(", since {}", column.since.empty() ? "run " + column.since_run : short_time(column.since));
    if (column.contents != TextContents::other) {
        const auto cast = comparable(column.contents, sql_word(column.name));
        text += fmt::format("; holds {}, compares letter by letter{}", to_string(column.contents),
                            cast.empty() ? "" : ": write " + cast);
    }
    for (const auto& drift : column.drift) {
        text +=
            fmt::format("; drift: {} of {} item{}, last {}, item {}: {}", drift.found, drift.items,
                        drift.items == 1 ? "" : "s", short_time(drift.last_seen), drift.item_key, quoted(drift.sample));
    }
    return text;
}

std::string primary_key(const TableView& table)
{
    std::vector<const ColumnView*> parts;
    for (const auto& column : table.columns) {
        if (column.in_key > 0) {
            parts.push_back(&column);
        }
    }
    std::sort(parts.begin(), parts.end(), [](const auto* a, const auto* b) { return a->in_key < b->in_key; });
    std::string text;
    for (const auto* part : parts) {
        text += (text.empty() ? "" : ", ") + identifier(part->name);
    }
    return parts.size() > 1 ? "    PRIMARY KEY (" + text + ")" : "";
}

std::string table_sql(const TableView& table)
{
    struct Line {
        std::string sql;
        std::string comment;
    };
    std::vector<Line> lines;
    const auto key = primary_key(table);
    for (const auto& column : table.columns) {
        auto sql = "    " + identifier(column.name) + (column.declared.empty() ? "" : " " + column.declared);
        sql += column.in_key > 0 && key.empty() ? " PRIMARY KEY" : "";
        lines.push_back({std::move(sql), comment(column)});
    }
    if (!key.empty()) {
        lines.push_back({key, ""});
    }
    std::size_t width = 0;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        lines[i].sql += i + 1 < lines.size() ? "," : "";
        width = std::max(width, lines[i].sql.size());
    }
    auto text = table.state.empty()
                    ? ""
                    : fmt::format("-- {} row{}, {}{}\n", table.rows, table.rows == 1 ? "" : "s", table.state,
                                  table.as_of.empty() ? "" : ", as of " + short_time(table.as_of));
    text += "CREATE TABLE " + identifier(table.name) + " (\n";
    for (const auto& line : lines) {
        text += line.comment.empty() ? line.sql + "\n" : fmt::format("{:{}}  -- {}\n", line.sql, width, line.comment);
    }
    return text + ");\n";
}

json::value text_or_null(const std::string& text)
{
    return text.empty() ? json::value(nullptr) : json::value(text);
}

json::object column_json(const ColumnView& column)
{
    json::array drift;
    for (const auto& one : column.drift) {
        drift.push_back(json::object{{"found", one.found},
                                     {"items", one.items},
                                     {"item_key", one.item_key},
                                     {"sample", one.sample},
                                     {"first_seen", one.first_seen},
                                     {"last_seen", one.last_seen}});
    }
    const bool ours = column.kind.empty();
    const auto cast = comparable(column.contents, sql_word(column.name));
    return {{"name", column.name},
            {"declared", column.declared},
            {"key", ours ? json::value(nullptr) : json::value(column.key)},
            {"kind", text_or_null(column.kind)},
            {"since_run", text_or_null(column.since_run)},
            {"since", text_or_null(column.since)},
            {"in_key", column.in_key},
            {"drift", std::move(drift)},
            {"holds", text_or_null(std::string(to_string(column.contents)))},
            {"compare_with", text_or_null(cast)}};
}

}  // namespace

std::string to_sql(const MirrorSchema& schema)
{
    std::string text;
    for (const auto& table : schema.tables) {
        text += (text.empty() ? "" : "\n") + table_sql(table);
    }
    for (const auto& view : schema.views) {
        std::string columns;
        for (const auto& column : view.columns) {
            columns += (columns.empty() ? "" : ", ") + identifier(column);
        }
        text += fmt::format("{}-- view {} ({})\n", text.empty() ? "" : "\n", identifier(view.name), columns);
    }
    return text;
}

std::string to_json(const MirrorSchema& schema)
{
    json::array tables;
    for (const auto& table : schema.tables) {
        json::array columns;
        for (const auto& column : table.columns) {
            columns.push_back(column_json(column));
        }
        tables.push_back(json::object{{"name", table.name},
                                      {"state", text_or_null(table.state)},
                                      {"as_of", text_or_null(table.as_of)},
                                      {"rows", table.rows},
                                      {"columns", std::move(columns)}});
    }
    json::array views;
    for (const auto& view : schema.views) {
        views.push_back(
            json::object{{"name", view.name}, {"columns", json::array(view.columns.begin(), view.columns.end())}});
    }
    return json::serialize(json::object{{"tables", std::move(tables)}, {"views", std::move(views)}});
}

}  // namespace shelfd::ctl
