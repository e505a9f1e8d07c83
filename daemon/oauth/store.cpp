#include "oauth/store.hpp"

#include "storage/posix_journal_file.hpp"

#include <filesystem>

namespace shelfd::oauth {
namespace {

Result<storage::FileLock> claim(const std::string& directory, storage::Safety safety)
{
    if (auto made = storage::make_private_directory(directory); !made) {
        return made.error();
    }
    if (auto durable = storage::check_durable(directory, safety); !durable) {
        return durable.error();
    }
    return storage::FileLock::acquire(directory + "/lock");
}

Journal::Opener opener(std::string path)
{
    return [path = std::move(path)] { return storage::PosixJournalFile::open(path, journal_size); };
}

// A directory that everybody may enter will do: the file itself is private.
Refuge refuge_at(std::string path)
{
    Refuge refuge;
    refuge.make = opener(path);
    refuge.find = [path = std::move(path)]() -> Result<std::unique_ptr<storage::JournalFile>> {
        if (!std::filesystem::exists(path)) {
            return Error(ErrorKind::not_found, "nothing went to " + path);
        }
        return storage::PosixJournalFile::open(path, journal_size);
    };
    return refuge;
}

}  // namespace

Result<Store> open_store(const Directories& directories, const std::string& library, storage::Safety safety)
{
    const auto home = directories.tokens + "/" + library;
    const auto away = directories.tokens_copy.empty() ? home : directories.tokens_copy + "/" + library;
    Store store;
    auto first = claim(home, safety);
    if (!first) {
        return first.error();
    }
    store.locks.push_back(std::move(*first));
    if (away != home) {
        auto second = claim(away, safety);
        if (!second) {
            return second.error();
        }
        store.locks.push_back(std::move(*second));
    }
    store.a = opener(home + "/journal.a");
    store.b = opener(away + "/journal.b");
    if (!directories.refuge.empty()) {
        store.refuge = refuge_at(directories.refuge + "/" + library + ".tokens");
    }
    return store;
}

}  // namespace shelfd::oauth
