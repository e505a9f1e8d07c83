// Rules for classes: how much of one a reader must keep in mind, and where its functions are.
#pragma once

#include "house/rules.hpp"

#include <cstddef>
#include <filesystem>
#include <vector>

namespace shelfd::house {

inline constexpr std::size_t max_members = 25;  // data members of a class or struct
inline constexpr std::size_t max_sources = 3;   // .cpp files that implement one class

// Classes and structs that headers under daemon/ declare with more data members than `max_members`. Members of a
// nested class count for the nested class.
std::vector<Finding> member_findings(const std::filesystem::path& root);

// Classes whose functions stand in more than `max_sources` .cpp files, and functions that stand in a .cpp file whose
// name neither is that of the header nor begins with it: foo.hpp is implemented by foo.cpp and foo_….cpp.
std::vector<Finding> source_findings(const std::filesystem::path& root);

}  // namespace shelfd::house
