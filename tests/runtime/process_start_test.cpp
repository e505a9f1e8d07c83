#include "runtime/process_start.hpp"
#include "support/catch.hpp"

#include <cerrno>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace shelfd {
namespace {

// In a process of its own: 0, or the number of what is not as promised.
int with_closed_descriptors()
{
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        ::close(descriptor);
    }
    open_standard_descriptors();
    char byte = 0;
    if (::read(STDIN_FILENO, &byte, 1) != 0) {
        return 1;
    }
    for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO}) {
        errno = 0;
        if (::write(descriptor, "x", 1) != -1 || errno != EBADF) {
            return 2;
        }
    }
    return ::open("/dev/null", O_RDONLY) > STDERR_FILENO ? 0 : 3;
}

int with_no_core_file()
{
    rlimit first{};
    ::getrlimit(RLIMIT_CORE, &first);
    const auto before = forbid_core_file(HardLimit::kept);
    rlimit kept{};
    ::getrlimit(RLIMIT_CORE, &kept);
    if (before.rlim_cur != first.rlim_cur || kept.rlim_cur != 0 || kept.rlim_max != first.rlim_max) {
        return 1;
    }
    forbid_core_file(HardLimit::lowered);
    rlimit lowered{};
    ::getrlimit(RLIMIT_CORE, &lowered);
    return lowered.rlim_cur == 0 && lowered.rlim_max == 0 ? 0 : 2;
}

int outcome_of(int (*job)())
{
    const auto child = ::fork();
    if (child == 0) {
        ::_exit(job());
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_CASE("standard descriptors that are closed read nothing, write nothing, and are no other file")
{
    CHECK(outcome_of(with_closed_descriptors) == 0);
}

TEST_CASE("a core file is forbidden, and the hard limit is lowered only where that is wanted")
{
    CHECK(outcome_of(with_no_core_file) == 0);
}

}  // namespace
}  // namespace shelfd
