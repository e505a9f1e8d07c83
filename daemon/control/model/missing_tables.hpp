// Tables for which somebody waits, as a list for programs and as a sentence for people.
#pragma once

#include <string>
#include <vector>

namespace shelfd::control {

// Tables of one library for which a wait goes on for the same reason.
struct MissingTables {
    std::string library;
    std::vector<std::string> tables;  // none: the library as a whole
    std::string why;                  // "filling, page 3 of 12"

    std::string text() const;  // "antwerp recipes, stock: late"
};

// As one sentence for people, however many there are: "a, b, c and 397 more libraries (800 tables): filling". What only
// names, numbers and times tell apart is said once.
std::string fold(const std::vector<MissingTables>& missing);

}  // namespace shelfd::control
