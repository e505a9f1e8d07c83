#include "runtime/process_start.hpp"

#include <cerrno>

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace shelfd {

void open_standard_descriptors()
{
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(descriptor, F_GETFD) < 0 && errno == EBADF) {
            // The lowest descriptor that is free, which is this one. Also 1 and 2 are opened for reading: /dev/null
            // would take whatever is written to it, and nobody would hear that the output was lost.
            [[maybe_unused]] const int opened = ::open("/dev/null", O_RDONLY);
        }
    }
}

rlimit forbid_core_file(HardLimit hard)
{
    rlimit before{};
    ::getrlimit(RLIMIT_CORE, &before);
    const rlimit none{0, hard == HardLimit::kept ? before.rlim_max : 0};
    ::setrlimit(RLIMIT_CORE, &none);
#ifdef NDEBUG
    ::prctl(PR_SET_DUMPABLE, 0);
#endif
    return before;
}

}  // namespace shelfd
