// The ids of this machine and of its boot, to which the records of token store and request log are bound.
#pragma once

#include "config/tree/environment.hpp"

#include <array>
#include <cstddef>
#include <string>

namespace shelfd::app {

// The kernel's random id of this boot; "" if it is unknown. In the sandbox of the unit /proc does not show it: there
// the service manager gives it as SHELFD_BOOT_ID.
std::string read_boot_id(const config::Environment& environment, const char* file = "/proc/sys/kernel/random/boot_id");

// /etc/machine-id, or "" on a machine without one (many containers).
std::string read_machine_id();

// The kernel's name of this machine, for messages.
std::string read_host_name();

// The 16 bytes of such an id; all zero for any other text.
std::array<std::byte, 16> id_bytes(const std::string& text);

}  // namespace shelfd::app
