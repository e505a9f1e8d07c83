#include "ctl/doctor/orphan_checks.hpp"

#include "base/words/names.hpp"
#include "base/words/shell_word.hpp"
#include "ctl/context/former_names.hpp"
#include "ctl/survey/path_facts.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace shelfd::ctl {
namespace {

constexpr std::size_t max_named = 3;

void add_orphans(Findings& findings, const std::vector<std::string>& paths, const std::string& what,
                 std::string do_this)
{
    if (!paths.empty()) {
        findings.push_back({"orphans", Verdict::advice, fmt::format("{}: {}", what, list_some(paths, max_named)),
                            std::move(do_this), false});
    }
}

// A command for each file: one with many names would be broken where the screen ends, and pasted as several.
std::string remove_lines(const std::vector<std::string>& paths)
{
    std::string lines;
    for (const auto& path : paths) {
        lines += "\nsudo rm " + shell_word(path);
    }
    return lines;
}

// A command for each library, for the same reason.
std::string forget_lines(const std::vector<std::string>& libraries)
{
    std::string lines = "configure the library again, or:";
    for (const auto& library : libraries) {
        lines += fmt::format("{}shelfctl library forget {}", libraries.size() == 1 ? " " : "\n", shell_word(library));
    }
    return lines;
}

// The files of configured libraries, by what they are.
struct Leftovers {
    std::vector<std::string> mirrors;
    std::vector<std::string> mirrored;  // the libraries of these
    std::vector<std::string> tokens;
    std::vector<std::string> with_set;  // likewise
    std::vector<std::string> walks;
    std::vector<std::string> aside;
    std::vector<std::string> unfinished;
    std::vector<std::string> foreign;
    std::uint64_t aside_bytes = 0;
};

void sort_out(const PathFacts& path, const MirrorFacts& mirror, const config::Library& library, Instant now,
              Leftovers& found)
{
    const auto name = base_name(path);
    const auto file = mirror.library + ".db";
    const auto snapshot = mirror.library + ".snapshot.db";
    if (name == file + "-wal" || name == file + "-shm" || name.starts_with(snapshot)) {
        if (name != snapshot && now - path.modified > std::chrono::hours(1) && name == snapshot + ".new") {
            found.unfinished.push_back(path.path);
        }
        return;
    }
    if (name.starts_with(file + ".walk-")) {
        if (library.find_resource(name.substr(file.size() + 6)) == nullptr) {
            found.walks.push_back(path.path);
        }
    } else if (name.starts_with(file + ".broken-")) {
        found.aside.push_back(path.path);
        found.aside_bytes += path.bytes;
    } else {
        found.foreign.push_back(path.path);
    }
}

Leftovers find_leftovers(const Facts& facts, const config::Configuration& model)
{
    Leftovers found;
    for (const auto& mirror : facts.mirrors) {
        const auto* library = model.find_library(mirror.library);
        if (library == nullptr) {
            if (!is_former_name(model, mirror.library)) {
                found.mirrors.push_back(mirror.directory.path);
                found.mirrored.push_back(mirror.library);
            }
            continue;
        }
        for (const auto& other : mirror.others) {
            sort_out(other, mirror, *library, facts.now, found);
        }
    }
    for (const auto& set : facts.tokens) {
        if (model.find_library(set.library) == nullptr && !is_former_name(model, set.library)) {
            found.with_set.push_back(set.library);
            found.tokens.push_back(set.directory.is_there() ? set.directory.path : set.copy_directory.path);
        }
    }
    return found;
}

}  // namespace

Findings check_orphans(const Facts& facts)
{
    Findings findings;
    const auto* model = facts.configuration();
    if (model == nullptr) {
        return findings;
    }
    const auto found = find_leftovers(facts, *model);
    add_orphans(findings, found.mirrors, "no library of the configuration fills these mirrors",
                forget_lines(found.mirrored));
    add_orphans(findings, found.tokens, "no library of the configuration uses these token sets",
                forget_lines(found.with_set));
    add_orphans(findings, found.walks, "no table of the configuration continues these kept pages", "remove the files");
    add_orphans(findings, found.unfinished, "these snapshots were never finished", "remove the files");
    add_orphans(findings, found.foreign, "shelfd did not make these files in the directories of mirrors",
                "move them away: readers of a mirror can read them");
    if (!found.aside.empty()) {
        add_orphans(findings, found.aside,
                    fmt::format("damaged mirrors that were set aside and filled again, {}",
                                size_text(static_cast<double>(found.aside_bytes))),
                    "the daemon removes each after a week; to remove the files now:" + remove_lines(found.aside));
    }
    if (!facts.unlisted.empty()) {
        findings.push_back({"orphans", Verdict::unknown,
                            fmt::format("not permitted to list {}: run as root", fmt::join(facts.unlisted, ", ")),
                            "sudo shelfctl doctor", false});
    }
    if (findings.empty()) {
        findings.push_back({"orphans", Verdict::ok, "every file belongs to a configured library", "", false});
    }
    return findings;
}

}  // namespace shelfd::ctl
