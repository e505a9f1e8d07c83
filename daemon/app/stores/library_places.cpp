#include "app/stores/library_places.hpp"

#include "mirror/file/schema.hpp"
#include "oauth/journal/former_names.hpp"
#include "oauth/journal/journal.hpp"
#include "storage/filesystem.hpp"
#include "storage/posix_journal_file.hpp"
#include "storage/sqlite.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <system_error>

#include <fcntl.h>

namespace shelfd::app {
namespace {

namespace fs = std::filesystem;

Result<void> sync_parent(const std::string& path)
{
    return storage::sync_directory(fs::path(path).parent_path().string());
}

Result<oauth::Findings> read_journal(const std::string& journal, const oauth::LibraryNames& names)
{
    oauth::Journal file([journal] { return storage::PosixJournalFile::open(journal, oauth::journal_size); }, names);
    return file.open();
}

Result<bool> has_set(const std::string& journal, const oauth::LibraryNames& names)
{
    if (!is_there(journal)) {
        return false;
    }
    SHELFD_TRY_ASSIGN(found, read_journal(journal, names));
    const bool is_readable = !found.newer_version && found.unreadable == 0 && found.other_library.empty();
    const bool has_answer = found.note.has_value() || found.raw.has_value();
    return !is_readable || has_answer || (found.set && found.set->value.origin != oauth::Origin::none);
}

oauth::LibraryNames names_in(const std::string& directory, const std::string& library)
{
    return {library, [directory] { return oauth::read_former_names(directory); }};
}

// "" if it is not known.
std::string id_in_journal(const std::string& journal, const oauth::LibraryNames& names)
{
    const auto found = is_there(journal) ? read_journal(journal, names) : Result<oauth::Findings>(oauth::Findings());
    return found && found->set ? found->set->value.library_id : "";
}

std::string id_in_mirror(const std::string& file)
{
    std::error_code unknown;
    if (fs::symlink_status(file, unknown).type() != fs::file_type::regular) {
        return "";
    }
    auto database = storage::Database::open(file, storage::OpenMode::read_only);
    const auto noted =
        database ? mirror::read_meta(*database, "library_id") : Result<std::optional<std::string>>(std::nullopt);
    return noted && *noted ? **noted : "";
}

}  // namespace

std::string StorePlaces::tokens_copy(const std::string& library) const
{
    const bool is_apart = !storage.tokens_copy.empty() && storage.tokens_copy != storage.tokens;
    return is_apart ? storage.tokens_copy + "/" + library : "";
}

std::string generation_note_of(const std::string& refuge, const std::string& library)
{
    return refuge.empty() ? "" : refuge + "/" + library + ".generation";
}

std::string StorePlaces::refuge_of(const std::string& library) const
{
    return refuge.empty() ? "" : refuge + "/" + library + ".tokens";
}

std::vector<std::string> StorePlaces::token_directories(const std::string& library) const
{
    std::vector<std::string> directories = {tokens(library)};
    if (auto copy = tokens_copy(library); !copy.empty()) {
        directories.push_back(std::move(copy));
    }
    return directories;
}

bool is_there(const std::string& path)
{
    std::error_code unknown;
    return fs::symlink_status(path, unknown).type() != fs::file_type::not_found;
}

Result<void> move_durably(const std::string& from, const std::string& to)
{
    int number = ::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0 ? 0 : errno;
    if (number == EINVAL || number == ENOSYS) {
        // A file system without that flag: nobody else renames here, because the storage is locked.
        number = is_there(to) ? EEXIST : std::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
    }
    if (number != 0) {
        return storage::errno_error("cannot rename " + from + " to " + to, number);
    }
    SHELFD_TRY(sync_parent(from));
    return sync_parent(to);
}

Result<void> remove_durably(const std::string& path)
{
    if (!is_there(path)) {
        return {};
    }
    std::error_code failed;
    fs::remove_all(path, failed);
    if (failed) {
        return storage::errno_error("cannot remove " + path, failed.value());
    }
    return sync_parent(path);
}

Result<bool> holds_set_at(const std::string& journal, const std::string& library)
{
    return has_set(journal, {library});
}

Result<bool> holds_set_in(const std::string& directory, const std::string& library)
{
    const auto names = names_in(directory, library);
    for (const auto& journal : storage::journals_in(directory)) {
        SHELFD_TRY_ASSIGN(has, has_set(journal, names));
        if (has) {
            return true;
        }
    }
    return false;
}

Result<bool> holds_set(const StorePlaces& places, const std::string& library)
{
    for (const auto& directory : places.token_directories(library)) {
        SHELFD_TRY_ASSIGN(has, holds_set_in(directory, library));
        if (has) {
            return true;
        }
    }
    return places.refuge.empty() ? Result<bool>(false) : holds_set_at(places.refuge_of(library), library);
}

std::vector<std::string> kept_library_ids(const StorePlaces& places, const std::string& library)
{
    std::vector<std::string> ids = {id_in_mirror(places.mirror(library) + "/" + library + ".db")};
    for (const auto& directory : places.token_directories(library)) {
        for (const auto& journal : storage::journals_in(directory)) {
            ids.push_back(id_in_journal(journal, names_in(directory, library)));
        }
    }
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    std::erase(ids, "");
    return ids;
}

}  // namespace shelfd::app
