// The floors of the house, from the ground up: which folder may include which, and what it may use from outside. A
// permission that no file uses is an error, too: the table says what is so.
#pragma once

#include <string>
#include <vector>

namespace shelfd::house {

struct Floor {
    int number;
    std::string folder;                // below daemon/
    std::vector<std::string> below;    // folders it may include, or "floor/room"
    std::vector<std::string> outside;  // libraries it may use besides std, fmt and (from floor 1 up) Asio
    // Its folders, lowest first: a room may include those before it. "" stands for the files that lie in no room. A
    // floor without rooms lists none.
    std::vector<std::string> rooms = {};
};

// daemon/README.md shows the same floors and rooms to people; a test compares the two.
const std::vector<Floor>& floors();

struct OutsideLibrary {
    std::string name;    // as in Floor::outside
    std::string prefix;  // of the header between the angle brackets
    bool heavy;          // slow to compile: sources only, never a header
};

const std::vector<OutsideLibrary>& outside_libraries();

}  // namespace shelfd::house
