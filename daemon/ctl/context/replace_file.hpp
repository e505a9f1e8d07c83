// Replaces a file whole, for readers that look at any time.
#pragma once

#include "base/result.hpp"

#include <string>
#include <string_view>

#include <sys/types.h>

namespace shelfd::ctl {

// A reader finds the old file or the new one. Written next to it as "PATH.new", then renamed; after a failure the old
// file is as it was. The bytes are durable only after the kernel has written them: it is for files that can be made
// again. Errors: storage or permission, naming the file.
Result<void> replace_file(const std::string& path, std::string_view bytes, mode_t mode);

}  // namespace shelfd::ctl
