// Guesses which new name belongs to what is kept under an old one.
#pragma once

#include <string>
#include <vector>

namespace shelfd {

struct OldName {
    std::string name;
    std::vector<std::string> ids;  // whose it is, as the service names it; empty = not known
};

struct NewName {
    std::string name;
    std::string id;  // "" = not known
};

// True if both ids are known and one differs: the new name belongs to something else.
bool is_contradicted(const OldName& old, const NewName& now);

struct LikelyName {
    std::string name;                 // "" = none, or several that are equally likely
    std::vector<std::string> others;  // if there are several
};

// For each old name, in order: the only one with its id; else one that is alike; else the only one that is left. No
// name that is contradicted, and none that belongs to another old name by its id. Pure.
std::vector<LikelyName> likely_new_names(const std::vector<OldName>& old, const std::vector<NewName>& now);

}  // namespace shelfd
