// The rules of the house that a machine can check, as functions over a source tree.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace shelfd::house {

inline constexpr std::size_t max_file = 350;       // lines of a file under daemon/
inline constexpr std::size_t max_function = 60;    // lines of its body
inline constexpr std::size_t fullest_folder = 24;  // files that lie directly in a folder under daemon/

struct Finding {
    std::string file;  // relative to the tree
    std::size_t line;  // 1-based; 0 = the file as a whole
    std::string text;  // what is wrong and what would be right
};

// Each function reads the tree below `root` (the repository, or a planted one) and returns what breaks its rule.
// A file that cannot be read is a finding, too. Build trees and what git ignores are not looked at.
std::vector<Finding> top_level_findings(const std::filesystem::path& root);
std::vector<Finding> include_findings(const std::filesystem::path& root);
// Of each floor that has files: a folder or library that it may include, and no file of it does; a room without files.
std::vector<Finding> permission_findings(const std::filesystem::path& root);
// Rooms of a floor: each file lies in one that the floor lists, and includes between them run one way.
std::vector<Finding> room_findings(const std::filesystem::path& root);
std::vector<Finding> folder_findings(const std::filesystem::path& root);
std::vector<Finding> length_findings(const std::filesystem::path& root);
std::vector<Finding> function_findings(const std::filesystem::path& root);
std::vector<Finding> header_findings(const std::filesystem::path& root);
std::vector<Finding> owner_findings(const std::filesystem::path& root);
std::vector<Finding> choice_findings(const std::filesystem::path& root);
// A lambda with captures that is written inside an awaited call.
std::vector<Finding> lambda_findings(const std::filesystem::path& root);
std::vector<Finding> environment_findings(const std::filesystem::path& root);
std::vector<Finding> clock_findings(const std::filesystem::path& root);
std::vector<Finding> opening_findings(const std::filesystem::path& root);
std::vector<Finding> output_findings(const std::filesystem::path& root);
std::vector<Finding> sleep_findings(const std::filesystem::path& root);
std::vector<Finding> word_findings(const std::filesystem::path& root);

// "daemon/oauth/keeper.cpp:12: …", one line each.
std::string to_text(const std::vector<Finding>& findings);

}  // namespace shelfd::house
