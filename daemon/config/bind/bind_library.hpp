// One library out of its own table and those it shares with others.
#pragma once

#include "config/model/model.hpp"
#include "config/tree/fault.hpp"
#include "config/tree/node.hpp"

#include <optional>
#include <string>
#include <vector>

namespace shelfd::config {

// All take checked tables and leave `origins` alone when it is null.
Library bind_library(const Node& root, const Node& table, Origins* origins, FaultList& faults);

// [application.NAME] as written; what is missing may stand in the libraries that use it.
Application bind_application(const Node& table, Origins* origins);

// The resources a library takes, merged from its own tables, [resource.NAME] and [defaults] (bind_resource.cpp).
// `library` has name, service and vars already.
std::vector<Resource> bind_resources(const Node& root, const Node& table, const Library& library, Origins* origins,
                                     FaultList& faults);

// `text` with each {name} replaced by the library's value. Nothing, and a fault at `position`, for a name without one.
std::optional<std::string> fill_in(const std::string& text, const Library& library, const Position& position,
                                   FaultList& faults);

// A query parameter, written in `params`, that each request to that service has already.
void refuse_own_parameter(const Service& service, const Node& parameter, FaultList& faults);

}  // namespace shelfd::config
