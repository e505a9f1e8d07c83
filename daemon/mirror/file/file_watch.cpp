#include "mirror/file/file_watch.hpp"

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

}  // namespace shelfd::mirror
