// What open_regular_file says, as an error of the storage.
#pragma once

#include "base/result.hpp"

#include <string>

namespace shelfd::storage {

// "cannot open PATH: …", of the kinds of errno_error; for what is no regular file, of kind permission.
Error cannot_open(const std::string& path, const Error& error);

}  // namespace shelfd::storage
