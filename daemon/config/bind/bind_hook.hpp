// Binds [hooks.NAME].
#pragma once

#include "config/model/model.hpp"
#include "config/tree/fault.hpp"
#include "config/tree/node.hpp"

namespace shelfd::config {

// `libraries`: all that are configured.
Hook bind_hook(const Node& table, const std::vector<Library>& libraries, Origins* origins, FaultList& faults);

// The node was checked as a secret.
SecretReference read_secret_reference(const Node& node);

}  // namespace shelfd::config
