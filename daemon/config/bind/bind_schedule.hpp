// Reads when a resource is due and when it is late, from all tables that may say so.
#pragma once

#include "config/model/model.hpp"
#include "config/tree/fault.hpp"
#include "config/tree/node.hpp"

#include <string>

namespace shelfd::config {

// nullptr = the table is absent.
struct ScheduleTables {
    const Node* own;      // [library.X.resource.Y]
    const Node* shared;   // [resource.Y]
    const Node* library;  // [library.X]
    const Node* defaults;
    const Node* service;
};

// Fills `schedule`, `full`, `window`, `settle` and `late_after` of `resource`, whose other members are known. The
// nearest `every` or `at` applies. Faults: both in one table, neither in any, and keys without effect. Records origins
// under `prefix`, unless `origins` is null.
void bind_schedule(const ScheduleTables& tables, const std::string& prefix, Origins* origins, Resource& resource,
                   FaultList& faults);

}  // namespace shelfd::config
