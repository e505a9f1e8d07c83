// Who this machine is and which start of it: what the records of the token store and the request log are bound to.
#pragma once

#include <array>
#include <cstddef>
#include <string>

namespace shelfd::app {

// The kernel's random id of this boot; empty where /proc does not tell.
std::string read_boot_id();

// /etc/machine-id, or "" on a machine without one (many containers).
std::string read_machine_id();

// For people: what the kernel calls this machine.
std::string read_host_name();

// The 16 bytes that such an id names; all zero for anything else.
std::array<std::byte, 16> id_bytes(const std::string& text);

}  // namespace shelfd::app
