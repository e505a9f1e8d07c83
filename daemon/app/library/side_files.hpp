// The -wal and -shm files of one mirror: created again when another program removes them.
#pragma once

#include "app/library/library_tasks.hpp"
#include "app/services/mirror_directories.hpp"
#include "mirror/mirror.hpp"
#include "runtime/async/worker_pool.hpp"
#include "runtime/log/log.hpp"

#include <functional>
#include <string>

namespace shelfd::app {

// Loop only; `mirror` in `lane` only. All references must outlive this object, and this object must outlive the tasks.
class SideFiles {
public:
    // `looked` is called after each look at the files, which may have made the mirror anew.
    SideFiles(MirrorDirectories& directories, mirror::Mirror& mirror, Lane lane, LibraryTasks& tasks, Log log,
              std::string library, std::function<void()> looked)
        : directories_(directories), mirror_(mirror), lane_(std::move(lane)), tasks_(tasks), log_(std::move(log)),
          library_(std::move(library)), path_(mirror.path()), looked_(std::move(looked))
    {
    }

    // Call again after the mirror was replaced: its directory may be a different one.
    void watch();
    // Creates no more files.
    void close() { is_closed_ = true; }
    // Call after `close`, when the tasks have ended.
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
    const std::function<void()> looked_;
    bool is_replacing_ = false;  // a file was removed, and the lane has not handled it yet
    bool is_closed_ = false;
};

}  // namespace shelfd::app
