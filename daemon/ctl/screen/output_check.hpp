// Whether a descriptor keeps what is written to it, as far as that can be known before. For output that must not be
// lost, such as a token set that is given away.
#pragma once

#include "base/result.hpp"

namespace shelfd::ctl {

// Fails with a sentence for a descriptor that is closed or only for reading, a pipe or socket that nobody reads, a
// device that is no terminal, and a file whose disk or limit leaves less than 256 KiB. Writes nothing.
Result<void> check_output(int descriptor);

}  // namespace shelfd::ctl
