// Detects that the file at a mirror's path is not the one that was opened, or not as it was left, for example after
// somebody removed it or put a copy in its place; also, by a mark in the file, if that was done while no daemon ran.
#pragma once

#include "base/result.hpp"
#include "mirror/file/paths.hpp"
#include "storage/file_mark.hpp"

#include <optional>
#include <string>
#include <string_view>

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

    // Starts watching the file, -wal and -shm that are there now. Errors: storage, permission; the same below.
    Result<void> begin();
    // Stops watching.
    void end();
    Result<Finding> look() const;
    // Records that we wrote the file as it is now.
    void record_writing();
    // True if -wal and -shm are still those of `begin`; otherwise readers do not see what we write. False if one was
    // missing at `begin`: it was removed between the opening and `begin`.
    Result<bool> has_side_files() const;
    // Removes the -wal of the watched file, so that it is not applied to another one.
    Result<void> remove_side_files() const { return remove_wal(file_, wal_); }
    // What distinguishes the file that is there now from a copy of it; may be called while SQLite has it open.
    storage::FileMark mark() const;

private:
    std::string file_;
    std::optional<FileIdentity> identity_;  // empty: not watching
    std::optional<FileIdentity> wal_;
    std::optional<FileIdentity> shm_;
    std::optional<FileWriting> written_;  // as we left it; empty: unknown
};

// Key in `_meta`: the mark of the file in which the mirror is. A copy holds the mark of the file that was copied.
inline constexpr std::string_view file_mark_key = "file_mark";
// A mark as the value of that row. What cannot be read is unknown, as in a mirror without the row.
std::string to_text(const storage::FileMark& mark);
storage::FileMark read_mark(std::string_view text);

}  // namespace shelfd::mirror
