#include "app/stores/library_rename.hpp"

#include "mirror/declare/closed_mirror.hpp"
#include "oauth/journal/former_names.hpp"
#include "storage/file_lock.hpp"
#include "storage/filesystem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

namespace shelfd::app {
namespace {

namespace fs = std::filesystem;

bool has_note(const std::string& directory, const std::string& name)
{
    const auto names = oauth::read_former_names(directory);
    return std::find(names.begin(), names.end(), name) != names.end();
}

// Where the empty store or mirror of the new name waits until it is removed. Not the name of a library.
std::string aside(const std::string& directory)
{
    const fs::path path(directory);
    return (path.parent_path() / (".replaced-" + path.filename().string())).string();
}

bool is_anything_left(const StorePlaces& places, const LibraryRename& rename)
{
    const auto& name = rename.from;
    const auto directories = places.token_directories(name);
    return std::any_of(directories.begin(), directories.end(), is_there) || is_there(places.mirror(name)) ||
           is_there(places.mirror(rename.to) + "/" + name + ".db") || is_there(places.request_log(name));
}

Error already_has(const LibraryRename& rename, const char* what, const std::string& cure)
{
    return {ErrorKind::usage,
            fmt::format("{0} cannot take over the stored data of {1}: it has {2} of its own. Either {3}, "
                        "or remove formerly = \"{1}\" from [library.{0}]",
                        rename.to, rename.from, what, cure)};
}

// What is kept of one library at the service never becomes that of another one.
Result<void> check_same_library(const StorePlaces& places, const LibraryRename& rename)
{
    const auto kept = kept_library_ids(places, rename.from);
    const auto ours =
        rename.library_id.empty() ? kept_library_ids(places, rename.to) : std::vector<std::string>{rename.library_id};
    for (const auto& id : ours) {
        const auto other = std::find_if(kept.begin(), kept.end(), [&id](const auto& each) { return each != id; });
        if (other != kept.end()) {
            return Error(ErrorKind::usage,
                         fmt::format("{0} cannot take over the stored data of {1}: that belongs to library {2} of the "
                                     "service, and {0} {3} {4}. If {0} is not its new name, remove formerly = \"{1}\" "
                                     "from [library.{0}]",
                                     rename.to, rename.from, *other,
                                     rename.library_id.empty() ? "to library" : "has library_id =", id));
        }
    }
    return {};
}

// A set at the new name that was not moved there is never touched. Neither are rows.
Result<void> check_vacant(const StorePlaces& places, const LibraryRename& rename)
{
    const auto from = places.token_directories(rename.from);
    const auto to = places.token_directories(rename.to);
    const auto destroy =
        fmt::format("remove that one first (shelfctl library forget {}), then repeat the rename", rename.to);
    for (std::size_t i = 0; i < to.size(); ++i) {
        SHELFD_TRY_ASSIGN(has_set, holds_set_in(to[i], rename.to));
        if (has_set && (is_there(from[i]) || !has_note(to[i], rename.from))) {
            return already_has(rename, "a token set", destroy);
        }
    }
    const auto refuge = places.refuge_of(rename.to);
    if (!refuge.empty() && is_there(places.refuge_of(rename.from))) {
        SHELFD_TRY_ASSIGN(has_set, holds_set_at(refuge, rename.to));
        if (has_set) {
            return already_has(rename, "a token set", destroy);
        }
    }
    const auto mirror = places.mirror(rename.to) + "/" + rename.to + ".db";
    if (is_there(places.mirror(rename.from)) && is_there(mirror)) {
        SHELFD_TRY_ASSIGN(has_rows, mirror::has_published(mirror));
        if (has_rows) {
            return already_has(rename, "a mirror with rows",
                               "stop the daemon and move " + mirror + " away, then repeat the rename");
        }
    }
    return {};
}

// Held while directories move. The files go along.
Result<std::vector<storage::FileLock>> lock_journals(const StorePlaces& places, const LibraryRename& rename)
{
    std::vector<storage::FileLock> locks;
    for (const auto& name : {rename.from, rename.to}) {
        for (const auto& directory : places.token_directories(name)) {
            if (is_there(directory)) {
                SHELFD_TRY_ASSIGN(lock, storage::FileLock::acquire(directory + "/lock"));
                locks.push_back(std::move(lock));
            }
        }
    }
    return locks;
}

// An empty directory of the new name is in the way: it is moved aside, and removed at the end.
Result<void> move_directory(const std::string& from, const std::string& to)
{
    if (!is_there(from)) {
        return {};
    }
    if (is_there(to)) {
        SHELFD_TRY(remove_durably(aside(to)));
        SHELFD_TRY(move_durably(to, aside(to)));
    }
    return move_durably(from, to);
}

Result<void> move_mirror(const StorePlaces& places, const LibraryRename& rename)
{
    const auto directory = places.mirror(rename.to);
    SHELFD_TRY(move_directory(places.mirror(rename.from), directory));
    const auto database = rename.from + ".db";
    std::vector<std::string> names;
    std::error_code failed;
    for (fs::directory_iterator each(directory, failed), end; !failed && each != end; each.increment(failed)) {
        auto name = each->path().filename().string();
        if (name.starts_with(rename.from + ".")) {
            names.push_back(std::move(name));
        }
    }
    if (failed && failed != std::errc::no_such_file_or_directory) {
        return storage::errno_error("cannot list " + directory, failed.value());
    }
    std::sort(names.begin(), names.end(), [&](const std::string& a, const std::string& b) {
        return std::pair(a == database, a) < std::pair(b == database, b);
    });
    for (const auto& name : names) {
        const auto before = directory + "/" + name;
        const auto after = directory + "/" + rename.to + name.substr(rename.from.size());
        SHELFD_TRY(move_durably(before, after));
    }
    return {};
}

// What is in memory that outlives the process.
Result<void> move_refuge(const StorePlaces& places, const LibraryRename& rename)
{
    if (const auto note = places.generation_note(rename.from); !note.empty() && is_there(note)) {
        SHELFD_TRY(remove_durably(places.generation_note(rename.to)));
        SHELFD_TRY(move_durably(note, places.generation_note(rename.to)));
    }
    const auto from = places.refuge_of(rename.from);
    if (from.empty() || !is_there(from)) {
        return {};
    }
    const auto to = places.refuge_of(rename.to);
    SHELFD_TRY(remove_durably(to));  // it has no set, see check_vacant
    return move_durably(from, to);
}

// The last directory is that of storage.tokens.
Result<void> move_journals(const StorePlaces& places, const LibraryRename& rename)
{
    const auto from = places.token_directories(rename.from);
    const auto to = places.token_directories(rename.to);
    for (std::size_t i = from.size(); i-- > 0;) {
        if (is_there(from[i])) {
            SHELFD_TRY(oauth::add_former_name(from[i], rename.from));
        }
    }
    for (std::size_t i = from.size(); i-- > 1;) {
        SHELFD_TRY(move_directory(from[i], to[i]));
    }
    if (!is_there(from[0])) {
        if (!is_there(places.storage.tokens)) {
            return Error(ErrorKind::storage, fmt::format("there is no directory {} (storage.tokens): mount its file "
                                                         "system",
                                                         places.storage.tokens));
        }
        SHELFD_TRY(storage::make_private_directory(to[0]));
        return oauth::add_former_name(to[0], rename.from);
    }
    return move_directory(from[0], to[0]);
}

Result<void> remove_replaced(const StorePlaces& places, const LibraryRename& rename)
{
    auto directories = places.token_directories(rename.to);
    directories.push_back(places.mirror(rename.to));
    for (const auto& directory : directories) {
        SHELFD_TRY(remove_durably(aside(directory)));
    }
    return {};
}

}  // namespace

bool is_rename_done(const StorePlaces& places, const LibraryRename& rename)
{
    return has_note(places.tokens(rename.to), rename.from);
}

Result<RenameNeed> assess_rename(const StorePlaces& places, const LibraryRename& rename)
{
    if (is_rename_done(places, rename) || !is_anything_left(places, rename)) {
        return RenameNeed::none;
    }
    SHELFD_TRY(check_same_library(places, rename));
    SHELFD_TRY(check_vacant(places, rename));
    return RenameNeed::due;
}

Result<RenameNeed> carry_out_rename(const StorePlaces& places, const LibraryRename& rename)
{
    if (is_rename_done(places, rename)) {
        SHELFD_TRY(remove_replaced(places, rename));
        return RenameNeed::none;
    }
    if (!is_anything_left(places, rename)) {
        return RenameNeed::none;
    }
    const auto locks = lock_journals(places, rename);
    if (!locks) {
        return locks.error();
    }
    SHELFD_TRY(check_same_library(places, rename));
    SHELFD_TRY(check_vacant(places, rename));
    SHELFD_TRY(move_mirror(places, rename));
    SHELFD_TRY(move_refuge(places, rename));
    SHELFD_TRY(move_journals(places, rename));
    SHELFD_TRY(remove_replaced(places, rename));
    return RenameNeed::due;
}

}  // namespace shelfd::app
