// Owners, groups and modes of our files that differ from what they must be. Pure.
#pragma once

#include "ctl/doctor/finding.hpp"
#include "ctl/survey/facts.hpp"

#include <optional>
#include <string>
#include <vector>

namespace shelfd::ctl {

struct WrongRight {
    std::string check;  // name of the finding
    Verdict verdict = Verdict::warning;
    PathFacts path;
    std::string text;  // "mode 0644 must be 0640"
    std::string command;
    // At most one of the two.
    std::optional<mode_t> mode;
    std::optional<gid_t> group;
    // Only what is ours, has one name and is no link, so that no other file can be changed in its place.
    bool mendable = false;
};

// Each thing that is wrong with a path is one element, groups before modes.
std::vector<WrongRight> find_wrong_rights(const Facts& facts);
// One finding for each check: wrong, ok, or unknown because this user may not look.
Findings check_rights(const Facts& facts);

}  // namespace shelfd::ctl
