// What the services and units of the daemon use, compiled once for this floor. No file may rely on it: each includes
// what it uses.
#pragma once

#include "base/precompiled.hpp"

#include "app/services/daemon_services.hpp"
#include "control/model/status.hpp"
