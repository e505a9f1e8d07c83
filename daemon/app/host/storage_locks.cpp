#include "app/host/storage_locks.hpp"

#include "base/words/shell_word.hpp"
#include "storage/filesystem.hpp"

#include <fmt/format.h>

#include <cerrno>

namespace shelfd::app {
namespace {

struct Place {
    const std::string& directory;
    const char* key;
    const char* mode;
};

Result<void> lock(StorageLocks& locks, const Place& place)
{
    const auto& directory = place.directory;
    auto held = storage::FileLock::acquire(directory + "/.lock");
    if (!held && held.error().system_errno == ENOENT) {
        return Error(ErrorKind::storage, fmt::format("there is no directory {}: mount its file system, create it "
                                                     "(install -d -o USER -m {} {}), or correct {} and restart",
                                                     directory, place.mode, shell_word(directory), place.key));
    }
    if (!held && held.error().kind() == ErrorKind::busy) {
        return Error(ErrorKind::busy, fmt::format("{}: another shelfd uses this storage; stop one of the two, or give "
                                                  "one of them another {}",
                                                  held.error().text(), place.key));
    }
    if (!held) {
        return std::move(held.error()).in("storage " + directory);
    }
    locks.held.push_back(std::move(*held));
    return {};
}

}  // namespace

Result<void> lock_mirrors(StorageLocks& locks, const config::Storage& storage)
{
    SHELFD_TRY(lock(locks, {storage.mirrors, "storage.mirrors", "2750"}));
    locks.has_mirrors = true;
    return {};
}

Result<StorageLocks> lock_storage(const config::Storage& storage, const Result<void>& mirrors)
{
    StorageLocks locks;
    if (mirrors) {
        SHELFD_TRY(lock_mirrors(locks, storage));
    } else {
        locks.troubles.push_back(mirrors.error().text());
    }
    const auto tokens = lock(locks, {storage.tokens, "storage.tokens", "0700"});
    if (tokens) {
        const auto safety = storage.allow_unsafe ? storage::Safety::waived : storage::Safety::required;
        SHELFD_TRY(storage::check_durable(storage.tokens, safety));
        return locks;
    }
    // If the disk of the first copies is lost, the second copies suffice; each library reports that.
    const auto has_copy = !storage.tokens_copy.empty() && storage.tokens_copy != storage.tokens;
    if (tokens.error().kind() == ErrorKind::busy || !has_copy ||
        !lock(locks, {storage.tokens_copy, "storage.tokens_copy", "0700"})) {
        return tokens.error();
    }
    locks.troubles.push_back(tokens.error().text());
    return locks;
}

}  // namespace shelfd::app
