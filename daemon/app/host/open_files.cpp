#include "app/host/open_files.hpp"

#include "config/model/open_files.hpp"

#include <fmt/core.h>

#include <cerrno>

#include <sys/resource.h>

namespace shelfd::app {

void raise_open_files()
{
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) {
        return;
    }
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);  // if it fails, the former limit stays
}

Result<void> check_open_files(std::size_t libraries, std::size_t before)
{
    const auto needed = config::open_files_needed(libraries);
    rlimit limit{};
    if (libraries <= before || ::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed) {
        return {};
    }
    return Error(ErrorKind::storage,
                 fmt::format("this configuration needs {0} open files (libraries: {1}), and this process may open {2}: "
                             "set LimitNOFILE={0} in its unit (systemctl edit shelfd), or ulimit -n {0} before it is "
                             "started by hand, then start it again; nothing was changed",
                             needed, libraries, limit.rlim_cur))
        .with_errno(EMFILE);
}

}  // namespace shelfd::app
