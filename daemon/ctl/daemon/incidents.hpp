// What `hooks list` and `status --problem` say of incidents, from the daemon's answer.
#pragma once

#include "ctl/daemon/json_reader.hpp"

#include <optional>
#include <string>
#include <vector>

namespace shelfd::ctl {

// "antwerp, ghent, hasselt and 37 more libraries"; "shelfd" for the daemon itself.
std::string describe_libraries(const std::vector<std::string>& names);

// One line: what it was, of which libraries, from when to when.
std::string describe_ended(const JsonReader& incident);

// The same of the incident with that id in an answer of /v1/alerts; empty if it is not among the ended ones.
std::optional<std::string> find_ended(const std::string& answer, const std::string& id);

}  // namespace shelfd::ctl
