#include "sync/library/wal_watch.hpp"

#include <fmt/core.h>

namespace shelfd::sync {
namespace {

// Twice the size that remains after a checkpoint.
constexpr std::uint64_t large_wal = 32U << 20;

}  // namespace

Result<WalLook> try_to_empty_wal(LibraryContext& context)
{
    const bool was_open = context.mirror.is_open();
    SHELFD_TRY_ASSIGN(emptied, context.mirror.checkpoint(storage::CheckpointMode::passive));
    WalLook look{context.mirror.wal_bytes(), emptied};
    if (!emptied) {
        look.readers = context.mirror.wal_readers();
    }
    if (!was_open) {
        SHELFD_TRY(context.mirror.close_idle());
    }
    return look;
}

void record_wal(LibraryContext& context, const WalLook& look)
{
    auto& wal = context.state.wal;
    wal.bytes = look.bytes;
    if (!look.emptied) {
        return;
    }
    if (*look.emptied) {
        wal.pinned_since.reset();
        wal.readers.clear();
    } else if (!wal.pinned_since) {
        wal.pinned_since = context.clock.now();
    }
    if (!look.readers.empty()) {
        wal.readers = look.readers;
    }
    const bool is_trouble = wal.pinned_since && wal.bytes >= large_wal;
    if (is_trouble && !wal.logged) {
        context.log.warning(
            fmt::format("the WAL of the mirror of {} has {} MiB: since {} a reader has kept a read transaction "
                        "open, so it cannot be emptied; shelfctl status names the reader",
                        context.library.name, wal.bytes >> 20U, wal.pinned_since->to_short_text()),
            {{"library", context.library.name}});
    } else if (!wal.pinned_since && wal.logged) {
        context.log.info(fmt::format("the WAL of the mirror of {} was emptied", context.library.name),
                         {{"library", context.library.name}});
    }
    wal.logged = is_trouble || (wal.logged && wal.pinned_since);
}

}  // namespace shelfd::sync
