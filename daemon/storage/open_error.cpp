#include "storage/open_error.hpp"

#include "storage/filesystem.hpp"

#include <fmt/core.h>

namespace shelfd::storage {

Error cannot_open(const std::string& path, const Error& error)
{
    return error.system_errno != 0
               ? errno_error("cannot open " + path, error.system_errno)
               : Error(ErrorKind::permission, fmt::format("cannot open {}: {}", path, error.text()));
}

}  // namespace shelfd::storage
