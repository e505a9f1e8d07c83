#include "ctl/line/completion.hpp"

#include "support/catch.hpp"
#include "support/temp_directory.hpp"

#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>

#include <fmt/core.h>

namespace shelfd::ctl {
namespace {

// What bash offers for the last of these words, blank-separated, when `shelfctl` knows two libraries and two tables.
std::string offered(const std::string& words)
{
    const TempDirectory directory;
    write_file(directory / "shelfctl", "#!/bin/sh\n"
                                       "while case $1 in --*) true ;; *) false ;; esac; do shift 2; done\n"
                                       "case \"$*\" in\n"
                                       "'completion libraries') echo antwerp; echo ghent ;;\n"
                                       "'completion tables antwerp') echo recipes; echo sales ;;\n"
                                       "*) echo unknown >&2; exit 64 ;;\n"
                                       "esac\n");
    std::filesystem::permissions(directory / "shelfctl", std::filesystem::perms::owner_all);
    write_file(directory / "completion", bash_completion(known_verbs()));
    write_file(directory / "ask", fmt::format("PATH={}:$PATH\n"
                                              "complete() {{ :; }}\n"
                                              ". {}\n"
                                              "COMP_WORDS=(shelfctl {})\n"
                                              "COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))\n"
                                              "_shelfctl\n"
                                              "echo -n \"${{COMPREPLY[*]}}\"\n",
                                              directory / "", directory / "completion", words));
    const auto close = [](std::FILE* pipe) { ::pclose(pipe); };
    const std::unique_ptr<std::FILE, decltype(close)> pipe(
        ::popen(fmt::format("bash {} 2>&1", directory / "ask").c_str(), "r"), close);
    REQUIRE(pipe);
    std::string text;
    std::array<char, 4096> part{};
    for (std::size_t read = 1; read > 0;) {
        read = std::fread(part.data(), 1, part.size(), pipe.get());
        text.append(part.data(), read);
    }
    return text;
}

TEST_CASE("bash completes the names of libraries and tables where they stand")
{
    struct Row {
        const char* words;
        const char* offered;
    };
    for (const auto& row : {
             Row{"snapshot ''", "--json antwerp ghent"},
             Row{"sync gh", "ghent"},
             Row{"sync antwerp re", "recipes"},
             Row{"sync --full antwerp s", "sales"},
             Row{"explain antwerp recipes ''", ""},
             Row{"sync bruges ''", "--all --full --window --background --if-older --timeout --dry-run --json"},
             Row{"auth import an", "antwerp"},
             Row{"changes antwerp --resource ''", "recipes sales"},
             Row{"--config /x.toml snapshot g", "ghent"},
             Row{"help sy", "sync"},
             Row{"sta", "status"},
             Row{"auth mo", "move-out move-in"},
             Row{"completion f", "fish"},
             Row{"sync antwerp --f", "--full"},
         }) {
        CAPTURE(row.words);
        CHECK(offered(row.words) == row.offered);
    }
}

}  // namespace
}  // namespace shelfd::ctl
