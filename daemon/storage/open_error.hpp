// Turns an error of open_regular_file into a storage error.
#pragma once

#include "base/result.hpp"

#include <string>

namespace shelfd::storage {

// "cannot open PATH: …", with the kinds of errno_error; kind permission if it is not a regular file.
Error cannot_open(const std::string& path, const Error& error);

}  // namespace shelfd::storage
