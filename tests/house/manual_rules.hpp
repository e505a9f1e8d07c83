// The manual pages: no sentence is cut off, and the requests of the control socket are those that the daemon answers.
#pragma once

#include "house/rules.hpp"

#include <cstddef>
#include <filesystem>
#include <vector>

namespace shelfd::house {

// As the functions of rules.hpp: each reads the tree below `root`. A page that is not there breaks no rule.
// A line of text before a list, a paragraph or a heading ends a sentence.
std::vector<Finding> sentence_findings(const std::filesystem::path& root);
// shelfd(8) lists each request of the control socket under the right that it needs.
std::vector<Finding> request_findings(const std::filesystem::path& root);

// Requests in shelfd(8), so that a test notices when they cannot be found any more.
std::size_t count_requests(const std::filesystem::path& root);

}  // namespace shelfd::house
