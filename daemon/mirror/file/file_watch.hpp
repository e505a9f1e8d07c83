// Notices when the file under a mirror's name is not the one that was opened, or not as it was left. Whoever clears up,
// or puts a copy in its place, does not tell the daemon.
#pragma once

#include "base/result.hpp"
#include "mirror/file/paths.hpp"

#include <optional>
#include <string>

namespace shelfd::mirror {

class FileWatch {
public:
    enum class Finding {
        as_left,            // also before `begin`
        written_by_others,  // its time or length changed since `record_writing`
        other_file,
        no_file,
    };

    explicit FileWatch(std::string file) : file_(std::move(file)) {}

    // From now on the file, -wal and -shm that lie there are meant. Errors: storage, permission; here and below.
    Result<void> begin();
    // Nothing is meant any more.
    void end();
    Result<Finding> look() const;
    // The file as it is now was written by us.
    void record_writing();
    // Whether -wal and -shm of `begin` lie under their names: without them no reader finds what we write. One that was
    // missing at `begin` already went between the opening and that.
    Result<bool> has_side_files() const;
    // Removes the -wal of the file that was meant, so that it is not played into another one.
    Result<void> remove_side_files() const { return remove_wal(file_, wal_); }

private:
    std::string file_;
    std::optional<FileIdentity> identity_;  // empty: nothing is meant
    std::optional<FileIdentity> wal_;
    std::optional<FileIdentity> shm_;
    std::optional<FileWriting> written_;  // as we left it; empty: not known
};

}  // namespace shelfd::mirror
