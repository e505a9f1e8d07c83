#include "house/rules.hpp"

#include "house/floors.hpp"
#include "house/source_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <regex>
#include <set>

namespace shelfd::house {
namespace {

namespace fs = std::filesystem;

using FileCheck = std::function<void(const SourceFile&, std::vector<Finding>&)>;

std::vector<Finding> check_folder(const fs::path& root, const std::string& folder, const FileCheck& check)
{
    std::vector<Finding> findings;
    for (const auto& file : read_tree(root, folder)) {
        if (!file.readable) {
            findings.push_back({file.path, 0, "cannot be read"});
            continue;
        }
        check(file, findings);
    }
    return findings;
}

// Finds `pattern` in code, never in comments or literals.
void find_in_code(const SourceFile& file, const std::regex& pattern, const std::string& text,
                  std::vector<Finding>& findings)
{
    for (std::size_t i = 0; i < file.code.size(); ++i) {
        if (std::regex_search(file.code[i], pattern)) {
            findings.push_back({file.path, i + 1, text});
        }
    }
}

bool contains(const std::vector<std::string>& list, const std::string& word)
{
    return std::find(list.begin(), list.end(), word) != list.end();
}

void check_inner_include(const SourceFile& file, const Floor& floor, const std::string& target, std::size_t line,
                         std::vector<Finding>& findings)
{
    const auto slash = target.find('/');
    if (slash == std::string::npos || target.starts_with(".")) {
        findings.push_back({file.path, line, fmt::format("\"{}\" is no address: write \"floor/file.hpp\"", target)});
        return;
    }
    const auto folder = target.substr(0, slash);
    const auto room = target.substr(0, target.rfind('/'));  // of a floor whose other rooms are closed to this one
    if (folder != floor.folder && !contains(floor.below, folder) && !contains(floor.below, room)) {
        findings.push_back({file.path, line, fmt::format("{}/ may not include {}/", floor.folder, folder)});
    }
}

void check_outer_include(const SourceFile& file, const Floor& floor, const std::string& target, std::size_t line,
                         std::vector<Finding>& findings)
{
    if (target.starts_with("boost/asio") && floor.number == 0 && !file.path.ends_with("/precompiled.hpp")) {
        findings.push_back({file.path, line, "base/ does no I/O and knows no Asio"});
    }
    for (const auto& library : outside_libraries()) {
        if (!target.starts_with(library.prefix)) {
            continue;
        }
        if (!contains(floor.outside, library.name)) {
            findings.push_back({file.path, line, fmt::format("{}/ may not use {}", floor.folder, library.name)});
        } else if (library.heavy && file.is_header()) {
            findings.push_back({file.path, line, fmt::format("{} belongs into a .cpp file", library.name)});
        }
    }
}

// Matches the opening quote or bracket, and what is included.
const std::regex& include_line()
{
    static const std::regex include("^\\s*#\\s*include\\s*([\"<])([^\">]+)[\">].*");
    return include;
}

void check_includes(const SourceFile& file, std::vector<Finding>& findings)
{
    static const std::regex address("^daemon/([a-z0-9_]+)/.+");
    std::smatch match;
    const auto floor = !std::regex_match(file.path, match, address)
                           ? floors().end()
                           : std::find_if(floors().begin(), floors().end(),
                                          [&](const Floor& candidate) { return candidate.folder == match[1].str(); });
    if (floor == floors().end()) {
        findings.push_back({file.path, 0, "lies on no floor of the house"});
        return;
    }
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
        if (!std::regex_match(file.lines[i], match, include_line())) {
            continue;
        }
        const auto check = match[1].str() == "\"" ? check_inner_include : check_outer_include;
        check(file, *floor, match[2].str(), i + 1, findings);
    }
}

// The room of "sync/pass/proof.hpp" is "pass", that of "mirror/mirror.hpp" is "".
std::string room_of(const std::string& address)
{
    const auto first = address.find('/');
    const auto last = address.rfind('/');
    return first == last ? "" : address.substr(first + 1, address.find('/', first + 1) - first - 1);
}

// A floor's precompiled header stands beside its rooms; no file includes it.
void check_rooms(const SourceFile& file, const Floor& floor, std::vector<Finding>& findings)
{
    if (file.path.ends_with("/precompiled.hpp")) {
        return;
    }
    static const std::regex include("^\\s*#\\s*include\\s*\"([^\"]+)\".*");
    const auto rank = [&](const std::string& room) {
        return std::find(floor.rooms.begin(), floor.rooms.end(), room) - floor.rooms.begin();
    };
    const auto own = room_of(file.path.substr(std::string("daemon/").size()));
    if (!contains(floor.rooms, own)) {
        findings.push_back({file.path, 0, fmt::format("{}/ has no room \"{}\"", floor.folder, own)});
        return;
    }
    std::smatch match;
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
        if (!std::regex_match(file.lines[i], match, include) || !match[1].str().starts_with(floor.folder + "/")) {
            continue;
        }
        const auto room = room_of(match[1].str());
        if (rank(room) > rank(own)) {
            findings.push_back(
                {file.path, i + 1, fmt::format("{}/{} may not include {}/{}", floor.folder, own, floor.folder, room)});
        }
    }
}

// What a floor includes, and in which rooms it has files.
struct Usage {
    std::set<std::string> below;
    std::set<std::string> outside;
    std::set<std::string> rooms;
};

void record_usage(const SourceFile& file, const Floor& floor, Usage& usage)
{
    usage.rooms.insert(room_of(file.path.substr(std::string("daemon/").size())));
    std::smatch match;
    for (const auto& line : file.lines) {
        if (!std::regex_match(line, match, include_line())) {
            continue;
        }
        const auto target = match[2].str();
        const bool is_inner = match[1].str() == "\"";
        for (const auto& folder : floor.below) {
            if (is_inner && target.starts_with(folder + "/")) {
                usage.below.insert(folder);
            }
        }
        for (const auto& library : outside_libraries()) {
            if (!is_inner && target.starts_with(library.prefix)) {
                usage.outside.insert(library.name);
            }
        }
    }
}

void check_permissions(const Floor& floor, const Usage& usage, std::vector<Finding>& findings)
{
    const auto require = [&](const std::vector<std::string>& permitted, const std::set<std::string>& used,
                             const std::string& what) {
        for (const auto& one : permitted) {
            if (!used.contains(one)) {
                findings.push_back(
                    {"daemon/" + floor.folder, 0, fmt::format("{}/ {} \"{}\": remove it", floor.folder, what, one)});
            }
        }
    };
    require(floor.below, usage.below, "may include, and does not,");
    require(floor.outside, usage.outside, "may use, and does not,");
    require(floor.rooms, usage.rooms, "has no file in its room");
}

struct RefusedWord {
    std::string part;  // of each match: searched for first, because regular expressions are slow
    std::string pattern;
    std::string reason;
};

// Words that belong to a desk, not to a repository. Spelled in two halves so that this file passes its own rule.
const std::vector<RefusedWord>& refused_words()
{
    const std::string unfinished = "unfinished work belongs in an issue";
    const std::string finish = "finish it or leave it out";
    const std::string machine = "a path of one machine";
    const std::string reason = "say the reason itself";
    // One row on a line reads as a table.
    // clang-format off
    static const std::vector<RefusedWord> words = {
        {"TO" "DO", "\\bTO" "DO\\b", unfinished},
        {"FIX" "ME", "\\bFIX" "ME\\b", unfinished},
        {"X" "XX", "\\bX" "XX\\b", unfinished},
        {"place" "holder", "\\bplace" "holder", finish},
        {"not imple" "mented", "not imple" "mented", finish},
        {"/wo" "rk/", "/wo" "rk/", machine},
        {"/ho" "me/", "/ho" "me/[a-z]", machine},
        {"/sha" "red/", "/sha" "red/(service|notes|DESIGN|STYLE)", machine},
        {"DES" "IGN", "\\bDES" "IGN( part|\\.md| [0-9])", reason},
        {".md", "\\b(WI" "RE|FA" "CTS|SPE" "C)\\.md\\b", reason},
    };
    // clang-format on
    return words;
}

void check_words(const SourceFile& file, std::vector<Finding>& findings)
{
    static const auto patterns = [] {
        std::vector<std::regex> compiled;
        for (const auto& word : refused_words()) {
            compiled.emplace_back(word.pattern, std::regex::optimize);
        }
        return compiled;
    }();
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
        for (std::size_t word = 0; word < patterns.size(); ++word) {
            const auto& [part, pattern, reason] = refused_words()[word];
            std::smatch match;
            if (file.lines[i].find(part) != std::string::npos &&
                std::regex_search(file.lines[i], match, patterns[word])) {
                findings.push_back({file.path, i + 1, fmt::format("\"{}\": {}", match.str(), reason)});
            }
        }
    }
}

}  // namespace

std::vector<Finding> top_level_findings(const fs::path& root)
{
    static const std::set<std::string> rooms = {"CMakeLists.txt", "daemon",  "config",   "systemd",
                                                "tests",          "contrib", "README.md"};
    static const std::set<std::string> ignored = {"build", "compile_commands.json"};  // by .gitignore
    std::vector<Finding> findings;
    for (const auto& entry : fs::directory_iterator(root)) {
        const auto name = entry.path().filename().string();
        const bool demanded_by_a_tool = name.starts_with(".") || name.ends_with("Presets.json");
        if (!rooms.contains(name) && !ignored.contains(name) && !demanded_by_a_tool) {
            findings.push_back({name, 0, "the top level has no room for it"});
        }
    }
    return findings;
}

std::vector<Finding> include_findings(const fs::path& root)
{
    return check_folder(root, "daemon", [](const SourceFile& file, std::vector<Finding>& findings) {
        if (file.is_source()) {
            check_includes(file, findings);
        }
    });
}

std::vector<Finding> permission_findings(const fs::path& root)
{
    std::map<std::string, Usage> used;
    std::vector<Finding> findings;
    for (const auto& file : read_tree(root, "daemon")) {
        for (const auto& floor : floors()) {
            if (file.is_source() && file.in("daemon/" + floor.folder)) {
                record_usage(file, floor, used[floor.folder]);
            }
        }
    }
    for (const auto& floor : floors()) {
        if (const auto usage = used.find(floor.folder); usage != used.end()) {
            check_permissions(floor, usage->second, findings);
        }
    }
    return findings;
}

std::vector<Finding> room_findings(const fs::path& root)
{
    return check_folder(root, "daemon", [](const SourceFile& file, std::vector<Finding>& findings) {
        const auto floor = std::find_if(floors().begin(), floors().end(),
                                        [&](const Floor& one) { return file.in("daemon/" + one.folder); });
        if (floor != floors().end()) {
            static const std::vector<std::string> none = {""};
            auto with_rooms = *floor;
            with_rooms.rooms = floor->rooms.empty() ? none : floor->rooms;
            check_rooms(file, with_rooms, findings);
        }
    });
}

std::vector<Finding> folder_findings(const fs::path& root)
{
    std::map<std::string, std::size_t> files;
    for (const auto& file : read_tree(root, "daemon")) {
        ++files[fs::path(file.path).parent_path().string()];
    }
    std::vector<Finding> findings;
    for (const auto& [folder, count] : files) {
        if (count > fullest_folder) {
            findings.push_back({folder, 0, fmt::format("{} files, {} at most: give it rooms", count, fullest_folder)});
        }
    }
    return findings;
}

std::vector<Finding> length_findings(const fs::path& root)
{
    return check_folder(root, "daemon", [](const SourceFile& file, std::vector<Finding>& findings) {
        // Pages have limits of their own: paper_length_findings.
        if (!file.path.ends_with(".md") && file.lines.size() > max_file) {
            findings.push_back({file.path, 0, fmt::format("{} lines, {} at most", file.lines.size(), max_file)});
        }
    });
}

// By the layout that clang-format gives: of all braces only those around the body of a function stand alone.
std::vector<Finding> function_findings(const fs::path& root)
{
    return check_folder(root, "daemon", [](const SourceFile& file, std::vector<Finding>& findings) {
        std::map<std::size_t, std::size_t> opened;  // the line of "{", by how far it is indented
        for (std::size_t i = 0; i < file.lines.size(); ++i) {
            const auto& line = file.lines[i];
            const auto indent = line.find_first_not_of(' ');
            if (indent == std::string::npos || line.size() != indent + 1) {
                continue;
            }
            if (line[indent] == '{') {
                opened[indent] = i;
            } else if (const auto open = opened.find(indent); line[indent] == '}' && open != opened.end()) {
                const auto length = i - open->second - 1;
                if (length > max_function) {
                    findings.push_back({file.path, open->second + 1,
                                        fmt::format("a function of {} lines, {} at most", length, max_function)});
                }
                opened.erase(open);
            }
        }
    });
}

std::vector<Finding> header_findings(const fs::path& root)
{
    static const std::regex name("^[a-z][a-z0-9_]*\\.(cpp|hpp|hpp\\.in)$");
    return check_folder(root, "daemon", [](const SourceFile& file, std::vector<Finding>& findings) {
        if (file.path == "daemon/README.md") {
            return;
        }
        if (!std::regex_match(fs::path(file.path).filename().string(), name)) {
            findings.push_back({file.path, 0, "a file's name is snake_case and ends in .cpp or .hpp"});
        }
        if (!file.is_header()) {
            return;
        }
        if (file.lines.empty() || !file.lines[0].starts_with("// ")) {
            findings.push_back({file.path, 1, "a header opens with one sentence that says what it is for"});
        }
        if (!contains(file.lines, "#pragma once")) {
            findings.push_back({file.path, 0, "a header guards itself with #pragma once"});
        }
    });
}

std::vector<Finding> owner_findings(const fs::path& root)
{
    static const std::regex detached("\\bdetached\\b");
    return check_folder(root, "daemon", [](const SourceFile& file, std::vector<Finding>& findings) {
        if (file.is_source()) {
            find_in_code(file, detached, "every coroutine has an owner: spawn it in a TaskGroup", findings);
        }
    });
}

std::vector<Finding> choice_findings(const fs::path& root)
{
    static const std::regex awaiting("\\?.*\\bco_await\\b|^\\s*[?:]\\s*co_await\\b");
    return check_folder(root, "daemon", [](const SourceFile& file, std::vector<Finding>& findings) {
        if (file.is_source()) {
            find_in_code(file, awaiting, "g++ 12 destroys what a co_await behind ? gave twice: write an if", findings);
        }
    });
}

std::vector<Finding> lambda_findings(const fs::path& root)
{
    static const std::regex awaited("\\bco_await\\b.*[(,]\\s*\\[[^\\]]+\\]\\s*[({]");
    static const std::regex open_await("\\bco_await\\b[^;]*[(,]\\s*$");
    static const std::regex lambda("^\\s*\\[[^\\]]+\\]\\s*[({]");
    return check_folder(root, "daemon", [](const SourceFile& file, std::vector<Finding>& findings) {
        for (std::size_t i = 0; file.is_source() && i < file.code.size(); ++i) {
            const bool begins_inside =
                i > 0 && std::regex_search(file.code[i - 1], open_await) && std::regex_search(file.code[i], lambda);
            if (begins_inside || std::regex_search(file.code[i], awaited)) {
                findings.push_back({file.path, i + 1,
                                    "g++ 12 destroys the captures of a lambda written inside an awaited call twice: "
                                    "give it a name first (see runtime/async/task_group.hpp)"});
            }
        }
    });
}

std::vector<Finding> environment_findings(const fs::path& root)
{
    static const std::regex environment("\\b(secure_)?getenv\\b|\\benviron\\b");
    return check_folder(root, "daemon", [](const SourceFile& file, std::vector<Finding>& findings) {
        if (file.is_source() && !file.in("daemon/app") && file.path != "daemon/ctl/main.cpp") {
            find_in_code(file, environment, "the environment is read in app/ and handed down", findings);
        }
    });
}

std::vector<Finding> clock_findings(const fs::path& root)
{
    static const std::regex clock(
        "_clock::now\\b|\\bclock_type::now\\b|\\bclock_gettime\\b|\\bgettimeofday\\b|\\btime\\((nullptr|NULL|0)\\)"
        "|\\bthis_thread::sleep|\\busleep\\b|\\bnanosleep\\b");
    // The clock itself, and the stamp that systemd wants beside RELOADING=1 (sd_notify(3)).
    static const std::vector<std::string> readers = {
        "daemon/runtime/async/boot_timer.cpp", "daemon/runtime/async/clock.cpp", "daemon/runtime/service_manager.cpp"};
    return check_folder(root, "daemon", [](const SourceFile& file, std::vector<Finding>& findings) {
        if (file.is_source() && !contains(readers, file.path)) {
            find_in_code(file, clock, "only Clock reads the time, only Clock sleeps", findings);
        }
    });
}

std::vector<Finding> opening_findings(const fs::path& root)
{
    static const std::regex opening("\\bi?fstream\\b|\\bfopen\\b|(^|[^:\\w])::(open|openat|creat)\\(");
    // Beside the one that opens what is read: these make new files, open directories or names (O_PATH), or open
    // standard error anew, or /dev/null.
    static const std::vector<std::string> others = {
        "daemon/base/regular_file.cpp",    "daemon/config/tree/files.cpp",     "daemon/mirror/file/paths.cpp",
        "daemon/mirror/file/snapshot.cpp", "daemon/storage/filesystem.cpp",    "daemon/runtime/log/log_descriptor.cpp",
        "daemon/ctl/doctor/mends.cpp",     "daemon/runtime/process_start.cpp", "daemon/mirror/file/file_watch.cpp"};
    return check_folder(root, "daemon", [](const SourceFile& file, std::vector<Finding>& findings) {
        if (file.is_source() && !contains(others, file.path)) {
            find_in_code(file, opening, "what is on disk is opened by base/regular_file.hpp, which waits for nobody",
                         findings);
        }
    });
}

std::vector<Finding> output_findings(const fs::path& root)
{
    static const std::regex output("\\bv?f?printf\\(|\\bfwrite\\(|\\bf?put(s|c|char)\\(|\\bstd::c(out|err|log)\\b");
    // The terminal itself, prompts beside it, and what ends the program.
    static const std::vector<std::string> writers = {"daemon/ctl/screen/terminal.cpp",
                                                     "daemon/ctl/login/secret_input.cpp", "daemon/ctl/main.cpp"};
    return check_folder(root, "daemon/ctl", [](const SourceFile& file, std::vector<Finding>& findings) {
        if (file.is_source() && !contains(writers, file.path)) {
            find_in_code(file, output, "what goes out passes ctl/screen/terminal.hpp, which makes it safe", findings);
        }
    });
}

std::vector<Finding> sleep_findings(const fs::path& root)
{
    static const std::regex sleeping(
        "\\bthis_thread::sleep|\\bnamespace std::this_thread\\b|\\busleep\\b|\\bnanosleep\\b"
        "|::sleep\\(|\\bsleep\\s*\\(\\s*[0-9]|\\bpoll\\((nullptr|NULL), *0");
    return check_folder(root, "tests", [](const SourceFile& file, std::vector<Finding>& findings) {
        if (file.is_source() && !file.in("tests/bench")) {  // which hold no tests
            find_in_code(file, sleeping, "no test sleeps: wait for the event, or step the simulated clock", findings);
        }
    });
}

std::vector<Finding> word_findings(const fs::path& root)
{
    std::vector<Finding> findings;
    for (const auto* folder : {"daemon", "config", "systemd", "tests", "contrib", ".ci"}) {
        auto found = check_folder(root, folder, check_words);
        findings.insert(findings.end(), found.begin(), found.end());
    }
    for (const auto* name : {"CMakeLists.txt", "CMakePresets.json", "README.md", ".clang-tidy", ".clang-format"}) {
        if (fs::exists(root / name)) {
            check_words(read_source(root, name), findings);
        }
    }
    return findings;
}

std::string to_text(const std::vector<Finding>& findings)
{
    std::string text;
    for (const auto& finding : findings) {
        text += fmt::format("{}:{}: {}\n", finding.file, finding.line, finding.text);
    }
    return text;
}

}  // namespace shelfd::house
