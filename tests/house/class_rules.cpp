#include "house/class_rules.hpp"

#include "house/source_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <utility>

namespace shelfd::house {
namespace {

namespace fs = std::filesystem;

// A class as a header declares it.
struct Declared {
    std::string name;
    std::size_t line = 0;     // 1-based
    std::size_t members = 0;  // data members of its own
};

std::string floor_of(const std::string& path)
{
    const auto begin = path.find('/') + 1;
    return path.substr(begin, path.find('/', begin) - begin);
}

std::string stem_of(const std::string& path)
{
    return fs::path(path).stem().string();
}

// "int a, b = 0" declares two; "void f() const", "using X = Y" and "friend class Z" none.
std::size_t members_of(std::string statement)
{
    static const std::regex label("\\b(public|private|protected):");
    static const std::regex other("^\\s*(struct|class|enum|union|using|friend|template|explicit|virtual|static"
                                  "|constexpr|~|#)[\\s\\S]*");
    static const std::regex arguments("<[^<>]*>");
    static const std::regex call("(=[^,]*)\\([^()]*\\)");
    static const std::regex value("=[^,]*");
    static const std::regex member(
        "[\\s\\S]*[\\w>&*]\\s+[&*]?\\w+\\s*(\\[\\w*\\]\\s*)?(\\{\\}\\s*)?(,\\s*[&*]?\\w+\\s*(\\{\\}\\s*)?)*$");
    statement = std::regex_replace(statement, label, "");
    if (std::regex_match(statement, other)) {
        return 0;
    }
    for (std::string shorter; (shorter = std::regex_replace(statement, arguments, "")) != statement;) {
        statement = shorter;
    }
    for (std::string shorter; (shorter = std::regex_replace(statement, call, "$1")) != statement;) {
        statement = shorter;
    }
    statement = std::regex_replace(statement, value, "");
    if (statement.find('(') != std::string::npos || !std::regex_match(statement, member)) {
        return 0;
    }
    return 1 + static_cast<std::size_t>(std::count(statement.begin(), statement.end(), ','));
}

// Reads the body that begins behind `begin`; what lies in braces inside it is left out.
std::size_t count_members(const std::string& text, std::size_t begin)
{
    std::size_t members = 0;
    std::string statement;
    std::size_t depth = 1;
    for (auto i = begin; i < text.size() && depth > 0; ++i) {
        const char c = text[i];
        if (c == '{') {
            statement += depth == 1 ? "{" : "";
            ++depth;
        } else if (c == '}') {
            --depth;
            statement += depth == 1 ? "}" : "";
            if (depth == 1 && statement.find('(') != std::string::npos) {
                statement.clear();  // the body of a function
            }
        } else if (depth == 1 && c == ';') {
            members += members_of(std::exchange(statement, {}));
        } else if (depth == 1) {
            statement += c;
        }
    }
    return members;
}

std::vector<Declared> classes_of(const SourceFile& file)
{
    static const std::regex head(
        "(^|\\n)\\s*(class|struct) (\\[\\[\\w+\\]\\] )?(\\w+(::\\w+)*)( final)?( : [^{;]*)? \\{");
    std::string text;
    for (const auto& line : file.code) {
        text += line + "\n";
    }
    std::vector<Declared> classes;
    for (auto it = std::sregex_iterator(text.begin(), text.end(), head); it != std::sregex_iterator(); ++it) {
        const auto begin = static_cast<std::size_t>(it->position(4));
        auto name = it->str(4);
        name = name.substr(name.rfind(':') == std::string::npos ? 0 : name.rfind(':') + 1);
        const auto line = static_cast<std::size_t>(std::count(text.begin(), text.begin() + it->position(4), '\n')) + 1;
        classes.push_back({std::move(name), line, count_members(text, text.find('{', begin) + 1)});
    }
    return classes;
}

// The class whose function a line at the left margin defines: "TokenKeeper" of "void TokenKeeper::run()"; else "".
std::string class_of_definition(const std::string& line)
{
    static const std::regex definition("^(.*[\\s&*])?((\\w+::)*)([A-Z]\\w*)::(~?\\w+|operator[^\\w\\s(]+)\\(.*");
    std::smatch match;
    return !line.empty() && line[0] != ' ' && line.back() != ';' && std::regex_match(line, match, definition)
               ? match[4].str()
               : "";
}

}  // namespace

std::vector<Finding> member_findings(const fs::path& root)
{
    std::vector<Finding> findings;
    for (const auto& file : read_tree(root, "daemon")) {
        if (!file.is_header()) {
            continue;
        }
        for (const auto& one : classes_of(file)) {
            if (one.members > max_members) {
                findings.push_back(
                    {file.path, one.line,
                     fmt::format("{} has {} data members, {} at most: a part of it is a class of its own", one.name,
                                 one.members, max_members)});
            }
        }
    }
    return findings;
}

std::vector<Finding> source_findings(const fs::path& root)
{
    using Name = std::pair<std::string, std::string>;  // floor and class
    std::map<Name, std::set<std::string>> headers;     // stems
    std::map<Name, std::set<std::string>> sources;     // paths
    const auto files = read_tree(root, "daemon");
    for (const auto& file : files) {
        if (file.is_header()) {
            for (const auto& one : classes_of(file)) {
                headers[{floor_of(file.path), one.name}].insert(stem_of(file.path));
            }
        }
    }
    std::vector<Finding> findings;
    for (const auto& file : files) {
        for (std::size_t i = 0; file.is_source() && !file.is_header() && i < file.code.size(); ++i) {
            const Name name{floor_of(file.path), class_of_definition(file.code[i])};
            const auto header = headers.find(name);
            if (header == headers.end()) {
                continue;  // a class that one .cpp file has for itself
            }
            sources[name].insert(file.path);
            const auto stem = stem_of(file.path);
            if (std::none_of(header->second.begin(), header->second.end(),
                             [&](const std::string& own) { return stem == own || stem.starts_with(own + "_"); })) {
                findings.push_back({file.path, i + 1,
                                    fmt::format("a function of {} stands in {}.cpp or {}_\u2026.cpp", name.second,
                                                *header->second.begin(), *header->second.begin())});
            }
        }
    }
    for (const auto& [name, paths] : sources) {
        if (paths.size() > max_sources) {
            findings.push_back({*paths.begin(), 0,
                                fmt::format("{} is implemented in {} .cpp files, {} at most", name.second, paths.size(),
                                            max_sources)});
        }
    }
    return findings;
}

}  // namespace shelfd::house
