#include "oauth/journal/store.hpp"

#include "oauth/journal/former_names.hpp"
#include "oauth/journal/token_roots.hpp"
#include "storage/file_lock.hpp"
#include "storage/posix_journal_file.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>

namespace shelfd::oauth {
namespace {

// The claim to one directory of journals, shared by its openers.
class Claim {
public:
    Claim(std::shared_ptr<TokenRoots> roots, TokenRoots::Role role, std::string directory, storage::Safety safety)
        : roots_(std::move(roots)), role_(role), directory_(std::move(directory)), safety_(safety)
    {
    }

    Result<void> take()
    {
        if (lock_ && lock_->is_in_place()) {
            return {};
        }
        roots_->released(role_);
        SHELFD_TRY(roots_->check(role_, directory_));
        SHELFD_TRY(storage::make_private_directory(directory_));
        SHELFD_TRY(storage::check_durable(directory_, safety_));
        auto lock = storage::FileLock::acquire(directory_ + "/lock");
        if (!lock && lock.error().kind() == ErrorKind::busy) {
            return Error(ErrorKind::busy,
                         fmt::format("{}: another shelfd keeps this token set; stop one of the two, or "
                                     "give one of them other directories of token sets",
                                     lock.error().text()));
        }
        if (!lock) {
            return std::move(lock).error();
        }
        lock_ = std::move(*lock);
        roots_->claimed(role_, directory_);
        return {};
    }

    const std::string& directory() const { return directory_; }

private:
    std::shared_ptr<TokenRoots> roots_;
    TokenRoots::Role role_;
    std::string directory_;
    storage::Safety safety_;
    std::optional<storage::FileLock> lock_;
};

Journal::Opener opener(std::string path)
{
    return [path = std::move(path)] { return storage::PosixJournalFile::open(path, journal_size); };
}

Journal::Opener claiming_opener(std::shared_ptr<Claim> claim, const char* name)
{
    return [claim = std::move(claim), name]() -> Result<std::unique_ptr<storage::JournalFile>> {
        SHELFD_TRY(claim->take());
        return storage::PosixJournalFile::open_alone(storage::journal_path(claim->directory(), name), journal_size);
    };
}

// The directory may be accessible to everybody: the file itself is private.
Refuge refuge_at(std::string path)
{
    Refuge refuge;
    refuge.make = opener(path);
    refuge.find = [path = std::move(path)]() -> Result<std::unique_ptr<storage::JournalFile>> {
        if (!std::filesystem::exists(path)) {
            return Error(ErrorKind::not_found, "nothing was written to " + path);
        }
        return storage::PosixJournalFile::open(path, journal_size);
    };
    return refuge;
}

}  // namespace

Store store_of(const Directories& directories, const std::string& library, storage::Safety safety)
{
    const auto roots = std::make_shared<TokenRoots>(directories);
    const auto home = std::make_shared<Claim>(roots, TokenRoots::tokens, directories.tokens + "/" + library, safety);
    const auto is_beside = directories.tokens_copy.empty() || directories.tokens_copy == directories.tokens;
    const auto away = is_beside ? home
                                : std::make_shared<Claim>(roots, TokenRoots::tokens_copy,
                                                          directories.tokens_copy + "/" + library, safety);
    Store store;
    const auto [first, second] = storage::journal_names;
    store.places = fmt::format("{} and {}", storage::journal_path(home->directory(), first),
                               storage::journal_path(away->directory(), second));
    store.a = claiming_opener(home, first);
    store.b = claiming_opener(away, second);
    store.former_names = [home, away] {
        auto names = read_former_names(home->directory());
        if (away != home) {
            const auto others = read_former_names(away->directory());
            names.insert(names.end(), others.begin(), others.end());
        }
        return names;
    };
    if (!directories.refuge.empty()) {
        store.refuge = refuge_at(directories.refuge + "/" + library + ".tokens");
    }
    return store;
}

}  // namespace shelfd::oauth
