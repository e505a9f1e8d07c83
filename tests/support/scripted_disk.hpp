// A disk in memory that remembers every write and sync, fails when told to, and forgets what a power cut would take.
#pragma once

#include "storage/journal_file.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::storage {

// One call on one of the disk's files, in the order of all of them.
struct DiskCall {
    enum class Kind { write, sync };
    Kind kind = Kind::write;
    std::size_t file = 0;
    std::uint64_t offset = 0;
    std::vector<std::byte> bytes;
};

// Holds several files of one size. Not thread-safe. Outlives the files it hands out.
class ScriptedDisk {
public:
    ScriptedDisk(std::size_t files, std::uint64_t size);

    // Opens a file as often as wanted; what it holds is what was written, synced or not.
    Result<std::unique_ptr<JournalFile>> open(std::size_t file);

    // From the n-th call on (0 = the next one; writes, syncs, reads and openings count), for `times` calls.
    void fail_after(std::size_t calls, int error_number, std::size_t times = SIZE_MAX);
    // Only calls on that file fail.
    void fail_file(std::size_t file, int error_number);
    void heal();
    // Whoever has the file open works on one that no path leads to any more; the path leads to what `content` is now.
    void replace_file(std::size_t file, std::vector<std::byte> content);
    // What is opened from now on is another file with the same content: it was copied, and the first one is gone.
    void copy_file(std::size_t file);
    // Whether files can be told from copies of them.
    bool has_marks = true;

    std::size_t calls() const { return calls_; }
    const std::vector<DiskCall>& history() const { return history_; }
    void forget_history() { history_.clear(); }

    const std::vector<std::byte>& content(std::size_t file) const { return files_[file]; }
    void set_content(std::size_t file, std::vector<std::byte> bytes) { files_[file] = std::move(bytes); }

    // The process that had the files open is dead: what it still does to them has no effect, and it is told that all is
    // well.
    void abandon_files() { ++incarnation_; }
    // A file for such a process: nothing it does has any effect.
    std::unique_ptr<JournalFile> open_abandoned(std::size_t file);

    // Called before each call takes effect: the place to look, or to abandon the files.
    std::function<void(const DiskCall&)> on_call;

private:
    friend class ScriptedFile;
    Result<void> admit(std::size_t file);
    FileMark mark_of(std::size_t file, std::size_t replacement) const;

    std::vector<std::vector<std::byte>> files_;
    std::vector<std::vector<std::byte>> unlinked_;
    std::vector<std::size_t> replacements_;  // of each file
    std::vector<std::size_t> copies_;
    std::vector<DiskCall> history_;
    std::size_t calls_ = 0;
    std::size_t failing_from_ = SIZE_MAX;
    std::size_t failing_until_ = SIZE_MAX;
    int error_number_ = 0;
    std::vector<int> file_errors_;
    std::size_t incarnation_ = 0;
};

// Every state that the files may be in when power is cut at some point of `history`: what a sync covered is there; of
// each later write all, nothing, or a run of its 512-byte sectors from either end. Called with the content of all
// files.
void for_each_power_cut(
    const std::vector<std::vector<std::byte>>& before, const std::vector<DiskCall>& history,
    const std::function<void(std::size_t calls_done, const std::vector<std::vector<std::byte>>&)>& see);

}  // namespace shelfd::storage
