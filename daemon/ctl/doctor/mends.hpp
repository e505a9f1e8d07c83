// Mends modes and groups of files that are ours: the only thing that `shelfctl doctor --fix` does.
#pragma once

#include "ctl/doctor/wrong_rights.hpp"

#include <string>
#include <vector>

namespace shelfd::ctl {

struct Mended {
    std::string path;
    std::string text;     // what was done, or what was tried
    std::string trouble;  // why it was not done; "" = done
};

// Changes what is `mendable`, if the path still leads to the same file. Follows no link; opens no file for reading or
// writing, so that no lock of SQLite is lost.
std::vector<Mended> mend(const std::vector<WrongRight>& wrong);

}  // namespace shelfd::ctl
