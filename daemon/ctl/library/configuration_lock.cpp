#include "ctl/library/configuration_lock.hpp"

#include "base/regular_file.hpp"
#include "ctl/context/ending_signals.hpp"
#include "storage/filesystem.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

namespace shelfd::ctl {
namespace {

constexpr std::chrono::milliseconds pause{50};
constexpr std::chrono::milliseconds moment{1000};  // so long nobody needs to know that this program waits

// The lock of a file that root changes for its owner must not become root's: the owner could lock it never again.
Result<void> create_for_owner(const std::string& path, const std::string& main_file)
{
    struct stat main {};
    if (::geteuid() != 0 || ::stat(main_file.c_str(), &main) != 0 || main.st_uid == 0) {
        return {};
    }
    const auto file = open_regular_file(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
    if (file && ::fchown(file->get(), main.st_uid, main.st_gid) != 0) {
        return storage::errno_error("cannot change the owner of " + path, errno);
    }
    return {};
}

}  // namespace

std::string real_path(const std::string& path)
{
    std::error_code unknown;
    const auto real = std::filesystem::weakly_canonical(path, unknown).string();
    return unknown ? path : real;
}

Result<storage::FileLock> lock_configuration(const Context& context, const std::string& main_file,
                                             std::chrono::milliseconds patience)
{
    const std::filesystem::path main = real_path(main_file);
    const auto path = (main.parent_path() / fmt::format(".{}.lock", main.filename().string())).string();
    SHELFD_TRY(create_for_owner(path, main.string()));
    for (std::chrono::milliseconds waited{0};; waited += pause) {
        auto lock = storage::FileLock::acquire(path);
        if (lock || lock.error().kind() != ErrorKind::busy) {
            return lock;
        }
        if (was_interrupted()) {
            return Error(ErrorKind::stopped, "interrupted");
        }
        if (waited >= patience) {
            return Error(ErrorKind::busy,
                         fmt::format("another program is changing the configuration ({}); nothing was changed here: "
                                     "repeat this once it has ended",
                                     lock.error().text()));
        }
        if (waited == moment) {
            context.terminal.complain(fmt::format("waiting for another program that is changing the configuration ({})",
                                                  lock.error().text()));
        }
        ::poll(nullptr, 0, static_cast<int>(pause.count()));
    }
}

}  // namespace shelfd::ctl
