// When a resource is due, and when it is late, out of the tables that may say so.
#pragma once

#include "config/model/model.hpp"
#include "config/tree/fault.hpp"
#include "config/tree/node.hpp"

#include <string>

namespace shelfd::config {

// nullptr: there is no such table.
struct ScheduleTables {
    const Node* own;      // [library.X.resource.Y]
    const Node* shared;   // [resource.Y]
    const Node* library;  // [library.X]
    const Node* defaults;
    const Node* service;
};

// Fills `schedule`, `full`, `window`, `settle` and `late_after` of `resource`, whose other members are known. Of
// `every` and `at` the nearer one holds; both in one table, neither in any, and what would have no effect are faults.
// Origins are noted under `prefix` unless null.
void bind_schedule(const ScheduleTables& tables, const std::string& prefix, Origins* origins, Resource& resource,
                   FaultList& faults);

}  // namespace shelfd::config
