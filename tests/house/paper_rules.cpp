#include "house/paper_rules.hpp"

#include "house/floors.hpp"
#include "house/source_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <regex>
#include <set>

namespace shelfd::house {
namespace {

namespace fs = std::filesystem;

const char* const inner_paper = "daemon/README.md";
const char* const troubles_page = "contrib/man/shelfd-troubles.7";
const char* const mirror_page = "contrib/man/shelfd-mirror.7";
const char* const schema_file = "daemon/mirror/file/schema.cpp";
const char* const view_file = "daemon/mirror/file/freshness_view.hpp";

std::vector<std::string> all_matches(const std::string& text, const std::regex& pattern)
{
    std::vector<std::string> found;
    for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at) {
        found.push_back((*at)[1]);
    }
    return found;
}

// Of UTF-8: bytes that begin a character.
std::size_t width_of(const std::string& line)
{
    return static_cast<std::size_t>(
        std::count_if(line.begin(), line.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

struct Line {
    std::size_t number;  // 1-based
    std::string text;
};

// The lines behind the one that is `heading`, up to the next one that begins with `sign`.
std::vector<Line> section_of(const SourceFile& file, const std::string& heading, const std::string& sign)
{
    std::vector<Line> lines;
    bool inside = false;
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
        if (file.lines[i].starts_with(sign)) {
            inside = file.lines[i] == heading;
        } else if (inside) {
            lines.push_back({i + 1, file.lines[i]});
        }
    }
    return lines;
}

std::string joined(const SourceFile& file)
{
    std::string text;
    for (const auto& line : file.lines) {
        text += line + "\n";
    }
    return text;
}

bool is_on_a_floor(const std::string& path)
{
    return std::any_of(floors().begin(), floors().end(),
                       [&path](const Floor& floor) { return path.starts_with(floor.folder + "/"); });
}

// Rows of the table: the first cell is a question, the second one answers it.
std::vector<Line> answers_of(const SourceFile& paper)
{
    static const std::regex row(R"(^\| ([^|]+) \| (.+) \|$)");
    std::vector<Line> answers;
    for (const auto& line : section_of(paper, "## Where is what", "## ")) {
        std::smatch match;
        if (std::regex_match(line.text, match, row) && match[1].str() != "question") {
            answers.push_back({line.number, match[2]});
        }
    }
    return answers;
}

// `name` as a word of code: "A::b" is not found as "b", and nothing is found in comments and literals.
bool has_word(const SourceFile& file, const std::string& name)
{
    const auto is_part = [](char c) {
        return c == '_' || c == ':' || std::isalnum(static_cast<unsigned char>(c)) != 0;
    };
    for (const auto& line : file.code) {
        for (auto at = line.find(name); at != std::string::npos; at = line.find(name, at + 1)) {
            const auto end = at + name.size();
            const bool begins = at == 0 || !is_part(line[at - 1]);
            if (begins && (end == line.size() || !is_part(line[end]))) {
                return true;
            }
        }
    }
    return false;
}

void check_answer(const fs::path& root, const Line& answer, std::vector<Finding>& findings)
{
    static const std::regex quoted("`([^`]+)`");
    static const std::regex address(R"(^[a-z]+(/[a-z0-9_]+)+\.(cpp|hpp)$)");
    const auto complain = [&](const std::string& text) { findings.push_back({inner_paper, answer.number, text}); };
    std::string file;
    std::size_t functions = 0;
    for (const auto& word : all_matches(answer.text, quoted)) {
        if (std::regex_match(word, address)) {
            file = "daemon/" + word;
            if (!fs::exists(root / file)) {
                complain(fmt::format("there is no file {}", file));
            }
        } else if (file.empty()) {
            complain(fmt::format("no file stands before {}", word));
        } else if (fs::exists(root / file) && !has_word(read_source(root, file), word)) {
            complain(fmt::format("{} has no {}", file, word));
        }
        functions += std::regex_match(word, address) ? 0 : 1;
    }
    if (functions == 0) {
        complain("the row names no function");
    }
}

// As a reader sees it: without roff's escapes, and with an ellipsis for three dots (the last ones of several).
std::string message_in(const std::string& argument)
{
    static const std::vector<std::pair<std::string, std::string>> escapes = {
        {"\\(dq", "\""}, {"\\(aq", "'"}, {"\\-", "-"}, {"\\&", ""}};
    std::string text = argument;
    for (const auto& [from, to] : escapes) {
        for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
            text.replace(at, from.size(), to);
        }
    }
    static const std::regex dots(R"((\.*)\.\.\.)");
    return std::regex_replace(text, dots, "$1…");
}

std::vector<Line> messages_of(const SourceFile& page)
{
    static const std::regex item(R"re(^\.It Li "(.+)"$)re");
    std::vector<Line> messages;
    for (const auto& line : section_of(page, ".Sh DIAGNOSTICS", ".Sh ")) {
        std::smatch match;
        if (std::regex_match(line.text, match, item)) {
            messages.push_back({line.number, message_in(match[1])});
        }
    }
    return messages;
}

using Tables = std::map<std::string, std::set<std::string>>;  // columns by table

Tables tables_of_schema(const fs::path& root)
{
    static const std::regex table(R"(^CREATE TABLE (?:IF NOT EXISTS )?(_[a-z_]+) \(.*)");
    static const std::regex column(R"re(^    "?([a-z_0-9]+)"? [A-Z].*)re");
    Tables tables;
    std::string name;
    for (const auto& line : read_source(root, schema_file).lines) {
        std::smatch match;
        if (std::regex_match(line, match, table)) {
            name = match[1];
            tables[name];
        } else if (line.starts_with(")")) {
            name.clear();
        } else if (!name.empty() && std::regex_match(line, match, column)) {
            tables[name].insert(match[1]);
        }
    }
    return tables;
}

// Names of columns behind the macro Va: ".Va a , b", ".It Va a , b", ".Pq Va a , b".
std::vector<std::string> columns_in(const std::string& line)
{
    static const std::regex macro(R"(^\.(?:It |Pq )?Va (.+)$)");
    static const std::regex word("([a-z_0-9]+)");
    std::smatch match;
    return std::regex_match(line, match, macro) ? all_matches(match[1], word) : std::vector<std::string>();
}

void check_tables(const SourceFile& page, const Tables& tables, std::vector<Finding>& findings)
{
    std::set<std::string> described;
    std::string name;
    const auto check_columns = [&](const Line& line) {
        for (const auto& column : columns_in(line.text)) {
            if (!tables.contains(name) || !tables.at(name).contains(column)) {
                findings.push_back({mirror_page, line.number, fmt::format("{} has no column {}", name, column)});
            }
        }
    };
    for (const auto& line : section_of(page, ".Sh TABLES ABOUT THE MIRROR", ".Sh ")) {
        if (line.text.starts_with(".It Li ")) {
            name = line.text.substr(7);
            described.insert(name);
            if (!tables.contains(name)) {
                findings.push_back({mirror_page, line.number, fmt::format("there is no table {}", name)});
            }
        } else if (tables.contains(name)) {
            check_columns(line);
        }
    }
    for (const auto& [table, columns] : tables) {
        if (!described.contains(table)) {
            findings.push_back({mirror_page, 0, fmt::format("says nothing of the table {}", table)});
        }
    }
    name = "_changes";
    for (const auto& line : section_of(page, ".Sh CHANGE FEED", ".Sh ")) {
        if (line.text.starts_with(".It Va ")) {
            check_columns(line);
        }
    }
}

void check_freshness(const SourceFile& page, const SourceFile& view, std::vector<Finding>& findings)
{
    static const std::regex word("'([a-z_]+)'");
    const auto sql = joined(view);
    const auto begin = std::min(sql.find("CASE"), sql.size());
    const auto states = all_matches(sql.substr(begin, sql.find("END AS state", begin) - begin), word);
    std::set<std::string> expected(states.begin(), states.end());
    for (const auto& line : section_of(page, ".Sh FRESHNESS", ".Sh ")) {
        if (line.text.starts_with(".It Li ")) {
            const auto state = line.text.substr(7);
            if (expected.erase(state) == 0) {
                findings.push_back({mirror_page, line.number, fmt::format("no table is in the state {}", state)});
            }
        } else if (line.text.starts_with(".It Va ")) {
            for (const auto& column : columns_in(line.text)) {
                if (!std::regex_search(sql, std::regex("\\b" + column + "\\b"))) {
                    findings.push_back({mirror_page, line.number, fmt::format("freshness has no column {}", column)});
                }
            }
        }
    }
    for (const auto& state : expected) {
        findings.push_back({mirror_page, 0, fmt::format("says nothing of the state {}", state)});
    }
}

}  // namespace

const std::vector<Paper>& papers()
{
    // The page about the code is longer, because "Where is what" has one row for each question.
    static const std::vector<Paper> table = {
        {"README.md", 200, 120}, {inner_paper, 390, 0}, {"tests/README.md", 80, 0}};
    return table;
}

std::vector<Finding> paper_length_findings(const fs::path& root)
{
    std::vector<Finding> findings;
    for (const auto& paper : papers()) {
        const auto lines = read_source(root, paper.file).lines;
        if (lines.size() > paper.max_lines) {
            findings.push_back({paper.file, 0, fmt::format("{} lines, {} at most", lines.size(), paper.max_lines)});
        }
        for (std::size_t i = 0; i < lines.size(); ++i) {
            const auto width = width_of(lines[i]);
            if (paper.max_width != 0 && width > paper.max_width) {
                findings.push_back(
                    {paper.file, i + 1, fmt::format("{} characters, {} at most", width, paper.max_width)});
            }
        }
    }
    return findings;
}

std::vector<Finding> named_file_findings(const fs::path& root)
{
    static const std::regex name(R"(`((?:[a-z]+|\.ci)/[A-Za-z0-9_./-]*)(?=[ `]))");
    static const std::set<std::string> folders = {"daemon", "config", "systemd", "tests", "contrib", ".ci"};
    std::vector<Finding> findings;
    for (const auto& paper : papers()) {
        const auto lines = read_source(root, paper.file).lines;
        for (std::size_t i = 0; i < lines.size(); ++i) {
            for (const auto& file : all_matches(lines[i], name)) {
                const bool is_inner = paper.file == inner_paper && is_on_a_floor(file);
                if (!is_inner && !folders.contains(file.substr(0, file.find('/')))) {
                    continue;
                }
                if (!fs::exists(is_inner ? root / "daemon" / file : root / file)) {
                    findings.push_back({paper.file, i + 1, fmt::format("there is no {}", file)});
                }
            }
        }
    }
    return findings;
}

std::vector<Finding> where_findings(const fs::path& root)
{
    std::vector<Finding> findings;
    for (const auto& answer : answers_of(read_source(root, inner_paper))) {
        check_answer(root, answer, findings);
    }
    return findings;
}

std::vector<Finding> message_findings(const fs::path& root)
{
    const auto texts = texts_below(root, "daemon");
    std::vector<Finding> findings;
    for (const auto& message : messages_of(read_source(root, troubles_page))) {
        if (texts.find(message.text) == std::string::npos) {
            findings.push_back({troubles_page, message.number, fmt::format("nothing says \"{}\"", message.text)});
        }
    }
    return findings;
}

std::vector<Finding> mirror_page_findings(const fs::path& root)
{
    std::vector<Finding> findings;
    const auto page = read_source(root, mirror_page);
    if (page.readable) {
        check_tables(page, tables_of_schema(root), findings);
        check_freshness(page, read_source(root, view_file), findings);
    }
    return findings;
}

std::size_t count_questions(const fs::path& root)
{
    return answers_of(read_source(root, inner_paper)).size();
}

std::size_t count_messages(const fs::path& root)
{
    return messages_of(read_source(root, troubles_page)).size();
}

std::string texts_below(const fs::path& root, const std::string& folder)
{
    static const std::regex seam("\"\\s*\n\\s*\"");
    static const std::regex field("\\{[0-9]*(:[^{} ]*)?\\}");
    std::string texts;
    for (const auto& file : read_tree(root, folder)) {
        if (file.is_source()) {
            texts += std::regex_replace(std::regex_replace(joined(file), seam, ""), field, "…");
        }
    }
    return texts;
}

}  // namespace shelfd::house
