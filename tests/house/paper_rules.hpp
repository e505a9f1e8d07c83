// What the papers say is true: README.md, daemon/README.md, tests/README.md and the manual pages against the tree.
#pragma once

#include "house/rules.hpp"

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace shelfd::house {

struct Paper {
    std::string file;
    std::size_t max_lines;
    std::size_t max_width;  // characters of a line; 0 = any
};

const std::vector<Paper>& papers();

// As the functions of rules.hpp: each reads the tree below `root`. A paper that is not there breaks no rule.
std::vector<Finding> paper_length_findings(const std::filesystem::path& root);
// Files of the tree that a paper names in backticks. Names in daemon/README.md may begin with a floor.
std::vector<Finding> named_file_findings(const std::filesystem::path& root);
// The table "Where is what" of daemon/README.md: its files are there, and its functions are in them.
std::vector<Finding> where_findings(const std::filesystem::path& root);
// Messages in shelfd-troubles(7): each is a text of daemon/.
std::vector<Finding> message_findings(const std::filesystem::path& root);
// Tables, columns and states in shelfd-mirror(7): those of the schema.
std::vector<Finding> mirror_page_findings(const std::filesystem::path& root);

// Rows of the table, and messages of the page, so that a test notices when they cannot be found any more.
std::size_t count_questions(const std::filesystem::path& root);
std::size_t count_messages(const std::filesystem::path& root);

// Texts of all sources below a folder as people see them: literals joined as the compiler does, "{}" and its kin as
// "…".
std::string texts_below(const std::filesystem::path& root, const std::string& folder);

}  // namespace shelfd::house
