// Builds one library from its own table and the shared tables.
#pragma once

#include "config/model/model.hpp"
#include "config/tree/fault.hpp"
#include "config/tree/node.hpp"

#include <optional>
#include <string>
#include <vector>

namespace shelfd::config {

// The tables must have passed `check_tree`. `origins` may be null: then none are recorded.
Library bind_library(const Node& root, const Node& table, Origins* origins, FaultList& faults);

// Reads [application.NAME] as written; missing keys may be in the libraries that use it.
Application bind_application(const Node& table, Origins* origins);

// Returns the resources of a library, merged from its own tables, [resource.NAME] and [defaults] (bind_resource.cpp).
// `library` already has name, service and vars.
std::vector<Resource> bind_resources(const Node& root, const Node& table, const Library& library, Origins* origins,
                                     FaultList& faults);

// Returns `text` with each {name} replaced by the library's value. A name without a value is a fault at `position` and
// returns an empty optional.
std::optional<std::string> fill_in(const std::string& text, const Library& library, const Position& position,
                                   FaultList& faults);

// Adds a fault if `parameter`, one of `params`, is a query parameter that the daemon itself sets for that service.
void refuse_own_parameter(const Service& service, const Node& parameter, FaultList& faults);

}  // namespace shelfd::config
