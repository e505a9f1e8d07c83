// What `hooks list` and `status --problem` say of incidents, from the daemon's answer.
#pragma once

#include "ctl/daemon/json_reader.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::ctl {

// "antwerp, ghent, hasselt and 37 more libraries"; "shelfd" for the daemon itself. `all`: how many there are, where
// only the first are named.
std::string describe_libraries(const std::vector<std::string>& names, std::size_t all = 0);

// One line for all libraries that are silenced until the same time, and what ends that.
std::string describe_silences(const JsonReader& answer);

// One line: what it was, of which libraries, from when to when.
std::string describe_ended(const JsonReader& incident);

// The same of the incident with that id in an answer of /v1/alerts; empty if it is not among the ended ones.
std::optional<std::string> find_ended(const std::string& answer, const std::string& id);

}  // namespace shelfd::ctl
