// [hooks.NAME] out of its table.
#pragma once

#include "config/model/model.hpp"
#include "config/tree/fault.hpp"
#include "config/tree/node.hpp"

namespace shelfd::config {

// `libraries` are all that are configured.
Hook bind_hook(const Node& table, const std::vector<Library>& libraries, Origins* origins, FaultList& faults);

// Of a checked secret.
SecretReference read_secret_reference(const Node& node);

}  // namespace shelfd::config
