// JournalFile on a real file system.
#pragma once

#include "base/file_descriptor.hpp"
#include "storage/journal_file.hpp"

#include <array>
#include <memory>
#include <string>

namespace shelfd::storage {

// The two copies of a token set's journal. They are in one directory, or the second is in that of another disk: each
// directory has one of them or both.
inline constexpr std::array journal_names = {"journal.a", "journal.b"};
inline std::string journal_path(const std::string& directory, const char* name)
{
    return directory + "/" + name;
}
// The paths that both have in `directory`, whether they exist or not.
std::array<std::string, 2> journals_in(const std::string& directory);
// False also if this user may not look.
bool has_journal(const std::string& directory);

class PosixJournalFile final : public JournalFile {
public:
    // Opens `path`. If it is missing, creates it with mode 0600, copy-on-write disabled if the file system has it (a
    // full btrfs would refuse to overwrite even preallocated blocks: measured) and `size` zero bytes written; then
    // syncs file and directory. Lengthens a shorter file (an interrupted creation, or a truncation) with zeros;
    // existing bytes are unchanged.
    // A file on a disk that became read-only is opened for reading; writing then fails with EROFS.
    // Errors: permission for a symbolic link, another owner or a mode that lets others in; storage otherwise.
    static Result<std::unique_ptr<JournalFile>> open(const std::string& path, std::uint64_t size);
    // The same for the daemon that uses the set. Also busy, if another process has the file open so, by whatever name:
    // a hard link, or a directory that is mounted twice. A file system without flock(2) is not asked.
    static Result<std::unique_ptr<JournalFile>> open_alone(const std::string& path, std::uint64_t size);

    Result<void> pwrite(std::uint64_t offset, std::span<const std::byte> bytes) override;
    Result<void> sync() override;
    Result<void> check_place() override;
    Result<void> read(std::uint64_t offset, std::span<std::byte> bytes) override;
    FileMark mark() const override { return mark_of(file_.get()); }

private:
    PosixJournalFile(std::string path, FileDescriptor file) : path_(std::move(path)), file_(std::move(file)) {}
    Result<void> lengthen(std::uint64_t from, std::uint64_t to);

    std::string path_;
    FileDescriptor file_;
};

}  // namespace shelfd::storage
