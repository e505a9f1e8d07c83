#include "ctl/line/completion.hpp"

#include "support/catch.hpp"
#include "support/temp_directory.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <sstream>
#include <vector>

#include <fmt/format.h>

namespace shelfd::ctl {
namespace {

// Where the completions of a shell, and a `shelfctl` that knows two libraries and two tables, are found.
class Place {
public:
    Place()
    {
        write_file(directory_ / "shelfctl", "#!/bin/sh\n"
                                            "while case $1 in --*) true ;; *) false ;; esac; do shift 2; done\n"
                                            "case \"$*\" in\n"
                                            "'completion libraries') echo antwerp; echo ghent ;;\n"
                                            "'completion tables antwerp') echo recipes; echo sales ;;\n"
                                            "*) echo unknown >&2; exit 64 ;;\n"
                                            "esac\n");
        std::filesystem::permissions(directory_ / "shelfctl", std::filesystem::perms::owner_all);
    }
    std::string path() const { return directory_.path(); }
    std::string write(const std::string& name, const std::string& text) const
    {
        write_file(directory_ / name, text);
        return directory_ / name;
    }
    // Each different line that the command prints, in order, blank-separated.
    std::string words(const std::string& command) const
    {
        const auto close = [](std::FILE* pipe) { ::pclose(pipe); };
        const auto line = fmt::format("PATH={}:$PATH HOME={} {}", path(), path(), command);
        const std::unique_ptr<std::FILE, decltype(close)> pipe(::popen(line.c_str(), "r"), close);
        REQUIRE(pipe);
        std::string text;
        std::array<char, 4096> part{};
        for (std::size_t read = 1; read > 0;) {
            read = std::fread(part.data(), 1, part.size(), pipe.get());
            text.append(part.data(), read);
        }
        std::istringstream in(text);
        std::vector<std::string> words;
        for (std::string word; in >> word;) {
            words.push_back(word);
        }
        std::sort(words.begin(), words.end());
        words.erase(std::unique(words.begin(), words.end()), words.end());
        return fmt::format("{}", fmt::join(words, " "));
    }

private:
    TempDirectory directory_;
};

// What each shell offers for the last of these words.
std::string offered_by_bash(const Place& place, const std::string& words)
{
    const auto completion = place.write("completion", bash_completion(known_verbs()));
    const auto last = words.ends_with(' ') ? words + "''" : words;
    const auto ask = place.write("ask", fmt::format("complete() {{ :; }}\n"
                                                    ". {}\n"
                                                    "COMP_WORDS=(shelfctl {})\n"
                                                    "COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))\n"
                                                    "_shelfctl\n"
                                                    "echo -n \"${{COMPREPLY[*]}}\"\n",
                                                    completion, last));
    return place.words("bash " + ask + " 2>&1");
}

std::string offered_by_fish(const Place& place, const std::string& words)
{
    const auto completion = place.write("completion", fish_completion(known_verbs()));
    return place.words(
        fmt::format("fish --no-config -c \"source {}; complete -C 'shelfctl {}'\" 2>&1 | cut -f 1", completion, words));
}

// In a terminal of its own, where what is offered is written to a file. The last words begin a new line. Nothing is
// typed before the line editor reads: until then Ctrl-U is the terminal's, and takes back what was typed.
std::string offered_by_zsh(const Place& place, const std::string& words)
{
    place.write("_shelfctl", zsh_completion(known_verbs()));
    for (const auto* name : {"hits", "ready", "done"}) {
        std::filesystem::remove(place.path() + "/" + name);
    }
    const auto ask = place.write("ask", fmt::format(R"sh(
zmodload zsh/zpty zsh/zselect
zpty offered zsh -f -i
zpty -w offered "PROMPT=; fpath=({0} \$fpath); autoload -Uz compinit; compinit -u -D; bindkey '^I' complete-word
compadd() {{
    local -a hits
    [[ \"\$*\" == *-[OAD]\\ * ]] || {{ builtin compadd -A hits \"\$@\"; print -rl -- \$hits >> {0}/hits; }}
    builtin compadd \"\$@\"
}}
zle-line-init() {{ print > {0}/ready; }}; zle -N zle-line-init"
repeat 500; do [[ -e {0}/ready ]] && break; zpty -r -t offered chunk; zselect -t 2; done
zpty -n -w offered "shelfctl {1}"$'\t'$'\C-u'"print > {0}/done"$'\n'
repeat 500; do [[ -e {0}/done ]] && break; zpty -r -t offered chunk; zselect -t 2; done
zpty -d offered
[[ -e {0}/done ]] || print the-shell-is-stuck
cat {0}/hits
)sh",
                                                    place.path(), words));
    return place.words("zsh -f " + ask + " 2>/dev/null");
}

struct Row {
    const char* words;
    const char* offered;
};

// Whatever the shell: names, tables and words in order. Options beside them differ.
const Row common_rows[] = {
    {"sync gh", "ghent"},
    {"sync antwerp re", "recipes"},
    {"sync --full antwerp s", "sales"},
    {"explain antwerp recipes --j", "--json"},
    {"auth import an", "antwerp"},
    {"changes antwerp --resource ", "recipes sales"},
    {"--config /x.toml snapshot g", "ghent"},
    {"help sy", "sync"},
    {"sta", "status"},
    {"auth mo", "move-in move-out"},
    {"completion f", "fish"},
    {"sync antwerp --f", "--full"},
};

bool is_installed(const char* shell)
{
    return std::system(fmt::format("command -v {} > /dev/null", shell).c_str()) == 0;
}

TEST_CASE("bash completes the names of libraries and tables where they stand")
{
    const Place place;
    for (const auto& row : common_rows) {
        CAPTURE(row.words);
        CHECK(offered_by_bash(place, row.words) == row.offered);
    }
    CHECK(offered_by_bash(place, "snapshot ") == "--json antwerp ghent");
    CHECK(offered_by_bash(place, "explain antwerp recipes ") == "--json");
    CHECK(offered_by_bash(place, "sync bruges ") ==
          "--all --background --dry-run --full --if-older --json --timeout --window");
}

TEST_CASE("fish completes the names of libraries and tables where they stand")
{
    if (!is_installed("fish")) {
        WARN("skipped: fish is not installed");
        return;
    }
    const Place place;
    for (const auto& row : common_rows) {
        CAPTURE(row.words);
        CHECK(offered_by_fish(place, row.words) == row.offered);
    }
    CHECK(offered_by_fish(place, "snapshot ") == "antwerp ghent");
    CHECK(offered_by_fish(place, "explain antwerp recipes ") == "");
}

TEST_CASE("zsh completes the names of libraries and tables where they stand")
{
    if (!is_installed("zsh")) {
        WARN("skipped: zsh is not installed");
        return;
    }
    const Place place;
    for (const auto& row : common_rows) {
        CAPTURE(row.words);
        CHECK(offered_by_zsh(place, row.words) == row.offered);
    }
    CHECK(offered_by_zsh(place, "snapshot ") == "--json antwerp ghent");
    CHECK(offered_by_zsh(place, "explain antwerp recipes ") == "--json");
}

}  // namespace
}  // namespace shelfd::ctl
