// A source tree as lines of text, with and without what the compiler would not see.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace shelfd::house {

struct SourceFile {
    std::string path;                // relative to the root, with slashes
    std::vector<std::string> lines;  // as written
    std::vector<std::string> code;   // comments and the insides of literals blanked, same line numbers
    bool readable = true;

    bool in(const std::string& folder) const;  // "daemon", "daemon/app"
    bool is_header() const;
    bool is_source() const;  // .cpp or a header
};

// Every file below `root`/`folder` in order of path; nothing when the folder does not exist.
std::vector<SourceFile> read_tree(const std::filesystem::path& root, const std::string& folder);
SourceFile read_source(const std::filesystem::path& root, const std::string& path);

}  // namespace shelfd::house
