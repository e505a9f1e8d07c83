#include "app/services/mirror_directories.hpp"

#include <fmt/core.h>

#include <filesystem>
#include <utility>

namespace shelfd::app {

void MirrorDirectories::watch(const std::string& mirror, const std::string& library, std::function<void()> gone)
{
    const std::filesystem::path file(mirror);
    auto removed = [name = file.filename().string(), gone = std::move(gone)](const std::string& which) {
        if (which.empty() || which == name + "-wal" || which == name + "-shm") {
            gone();
        }
    };
    const auto directory = file.parent_path().string();
    if (!watch_.watch(directory, std::move(removed)) && !std::exchange(has_logged_, true)) {
        log_.warning(fmt::format("cannot watch {}: if another program removes -wal or -shm of a mirror, readers may "
                                 "fail until its next pass; raise fs.inotify.max_user_watches and "
                                 "fs.inotify.max_user_instances (sysctl) and restart the daemon",
                                 directory),
                     {{"library", library}});
    }
}

void MirrorDirectories::forget(const std::string& mirror)
{
    watch_.forget(std::filesystem::path(mirror).parent_path());
}

}  // namespace shelfd::app
