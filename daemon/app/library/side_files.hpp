// The -wal and -shm of one mirror: created again when another program removes them.
#pragma once

#include "app/library/library_tasks.hpp"
#include "app/services/mirror_directories.hpp"
#include "mirror/mirror.hpp"
#include "runtime/async/worker_pool.hpp"
#include "runtime/log/log.hpp"

#include <string>

namespace shelfd::app {

// Loop only; `mirror` in `lane` only. Everything that it is given outlives it, and it outlives the tasks.
class SideFiles {
public:
    SideFiles(MirrorDirectories& directories, mirror::Mirror& mirror, Lane lane, LibraryTasks& tasks, Log log,
              std::string library)
        : directories_(directories), mirror_(mirror), lane_(std::move(lane)), tasks_(tasks), log_(std::move(log)),
          library_(std::move(library)), path_(mirror.path())
    {
    }

    // Again after the mirror was replaced: its directory may be a different one.
    void watch();
    // Nothing is created any more.
    void close() { is_closed_ = true; }
    // After `close`, when the tasks have ended.
    void forget() { directories_.forget(path_); }

private:
    asio::awaitable<void> replace();

    MirrorDirectories& directories_;
    mirror::Mirror& mirror_;
    Lane lane_;
    LibraryTasks& tasks_;
    Log log_;
    const std::string library_;
    const std::string path_;
    bool is_replacing_ = false;  // a file is gone, and the lane has not got to it yet
    bool is_closed_ = false;
};

}  // namespace shelfd::app
