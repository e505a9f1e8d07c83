// Whom to tell at the services of the libraries that a cause affects.
#pragma once

#include "control/model/cause.hpp"

#include <string>
#include <vector>

namespace shelfd::control {

// "desk@a.example"; if the libraries have different contacts, "desk@a.example for antwerp, ghent; ops@b.example for
// lille". "" if none has one. `affected` may be empty, its elements not null.
std::string describe_contacts(const std::vector<const Affected*>& affected);
std::string describe_contacts(const std::vector<Affected>& affected);

}  // namespace shelfd::control
