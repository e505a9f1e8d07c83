// The ids of this machine and of its boot, to which the records of token store and request log are bound.
#pragma once

#include <array>
#include <cstddef>
#include <string>

namespace shelfd::app {

// The kernel's random id of this boot; "" if /proc does not show it.
std::string read_boot_id();

// /etc/machine-id, or "" on a machine without one (many containers).
std::string read_machine_id();

// The kernel's name of this machine, for messages.
std::string read_host_name();

// The 16 bytes of such an id; all zero for any other text.
std::array<std::byte, 16> id_bytes(const std::string& text);

}  // namespace shelfd::app
