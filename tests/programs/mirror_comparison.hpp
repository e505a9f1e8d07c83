// Whether a mirror holds what the service showed, item by item.
#pragma once

#include "site.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace shelfd {

// The rows of a list of "lib01" by id, as the service shows them.
std::map<std::int64_t, std::string> items_at(sim::Server& service, const std::string& path);

// Of these items, by id, how many the table of library "antwerp" does not give back exactly as they were. Says which.
std::size_t differing_rows(Site& site, const std::string& resource, const std::map<std::int64_t, std::string>& items);

}  // namespace shelfd
