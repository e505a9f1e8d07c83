#include "ctl/doctor/mends.hpp"

#include "base/file_descriptor.hpp"
#include "storage/filesystem.hpp"

#include <fmt/format.h>

#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace shelfd::ctl {
namespace {

std::string trouble_now()
{
    return storage::errno_text(errno) + (errno == EPERM || errno == EACCES ? ": run as root" : "");
}

// "" if it was done.
std::string change(const WrongRight& wrong)
{
    const FileDescriptor file(::open(wrong.path.path.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    struct stat found {};
    if (!file || ::fstat(file.get(), &found) != 0) {
        return trouble_now();
    }
    if (S_ISLNK(found.st_mode)) {
        return "it is a link";
    }
    if (found.st_dev != wrong.path.device || found.st_ino != wrong.path.inode || found.st_uid != wrong.path.uid ||
        (!S_ISDIR(found.st_mode) && found.st_nlink != 1)) {
        return "another file is there now";
    }
    if (wrong.group && ::fchownat(file.get(), "", static_cast<uid_t>(-1), *wrong.group, AT_EMPTY_PATH) != 0) {
        return trouble_now();
    }
    // chmod(2) does not take a descriptor of this kind; its name in /proc leads to the same file.
    if (wrong.mode && ::chmod(fmt::format("/proc/self/fd/{}", file.get()).c_str(), *wrong.mode) != 0) {
        return trouble_now();
    }
    return "";
}

}  // namespace

std::vector<Mended> mend(const std::vector<WrongRight>& wrong)
{
    std::vector<Mended> all;
    for (const auto& one : wrong) {
        if (!one.mendable) {
            continue;
        }
        const auto text = one.group ? fmt::format("group of {}: {} -> {}", one.path.path, one.path.gid, *one.group)
                                    : fmt::format("mode of {}: {} -> {}", one.path.path, mode_text(one.path.mode),
                                                  mode_text(one.mode.value_or(one.path.mode)));
        all.push_back({one.path.path, text, change(one)});
    }
    return all;
}

}  // namespace shelfd::ctl
