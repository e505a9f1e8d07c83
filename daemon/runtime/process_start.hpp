// What a program does before anything else: its standard descriptors, and no core file with secrets.
#pragma once

#include <sys/resource.h>

namespace shelfd {

// Opens those of the descriptors 0, 1 and 2 that are closed, so that no file or pipe that is opened later takes their
// place. Reading from 0 then ends at once; writing to 1 and 2 fails with EBADF, as to a closed one.
void open_standard_descriptors();

// Whether programs that this one starts may have core files again.
enum class HardLimit { kept, lowered };

// A crash leaves no core file, and in release builds only root can read this process's memory. Returns the limit of
// core files that was in effect.
rlimit forbid_core_file(HardLimit hard);

}  // namespace shelfd
