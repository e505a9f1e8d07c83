#include "mirror/file/file_watch.hpp"

#include "base/file_descriptor.hpp"
#include "storage/filesystem.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <sstream>
#include <utility>

#include <fcntl.h>

namespace shelfd::mirror {

Result<void> FileWatch::begin()
{
    SHELFD_TRY_ASSIGN(identity, identity_of(file_));
    SHELFD_TRY_ASSIGN(wal, identity_of(file_ + "-wal"));
    SHELFD_TRY_ASSIGN(shm, identity_of(file_ + "-shm"));
    identity_ = identity;
    wal_ = wal;
    shm_ = shm;
    return {};
}

void FileWatch::end()
{
    identity_.reset();
    written_.reset();
}

Result<FileWatch::Finding> FileWatch::look() const
{
    if (!identity_) {
        return Finding::as_left;
    }
    SHELFD_TRY_ASSIGN(there, identity_of(file_));
    if (there != identity_) {
        return there ? Finding::other_file : Finding::no_file;
    }
    SHELFD_TRY_ASSIGN(now, writing_of(file_));
    return written_ && now != *written_ ? Finding::written_by_others : Finding::as_left;
}

void FileWatch::record_writing()
{
    if (identity_) {
        const auto now = writing_of(file_);
        written_ = now ? std::optional(*now) : std::nullopt;
    }
}

Result<bool> FileWatch::has_side_files() const
{
    SHELFD_TRY_ASSIGN(wal, identity_of(file_ + "-wal"));
    SHELFD_TRY_ASSIGN(shm, identity_of(file_ + "-shm"));
    return wal && shm && wal == wal_ && shm == shm_;
}

storage::FileMark FileWatch::mark() const
{
    // O_PATH: to close another descriptor would end the locks that SQLite holds on the file (fcntl(2)).
    const FileDescriptor file(::open(file_.c_str(), O_PATH | O_CLOEXEC));
    if (file.get() < 0) {
        return {};
    }
    auto mark = storage::mark_of(file.get());
    if (storage::is_known(mark) && mark.file_system.empty()) {
        // Some file systems tell their id only by a descriptor that can be read.
        const auto directory = std::filesystem::path(file_).parent_path().string();
        mark.file_system = storage::mark_of_directory(directory).file_system;
    }
    return mark;
}

std::string to_text(const storage::FileMark& mark)
{
    return fmt::format("{} {} {} {}", mark.inode, mark.birth, mark.generation, mark.file_system);
}

storage::FileMark read_mark(std::string_view text)
{
    storage::FileMark mark;
    std::istringstream words{std::string(text)};
    if (!(words >> mark.inode >> mark.birth >> mark.generation)) {
        return {};
    }
    words >> mark.file_system;
    return mark;
}

}  // namespace shelfd::mirror
