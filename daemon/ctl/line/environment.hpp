// The variables of the process's environment, by name.
#pragma once

#include <map>
#include <string>

namespace shelfd::ctl {

using Environment = std::map<std::string, std::string>;

}  // namespace shelfd::ctl
