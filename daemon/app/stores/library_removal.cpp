#include "app/stores/library_removal.hpp"

#include "base/regular_file.hpp"
#include "config/check/values.hpp"
#include "storage/file_lock.hpp"
#include "storage/file_mark.hpp"
#include "storage/filesystem.hpp"
#include "storage/posix_journal_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <system_error>

#include <sys/stat.h>

namespace shelfd::app {
namespace {

namespace fs = std::filesystem;

std::string folder_of_notes(const StorePlaces& places)
{
    return places.storage.mirrors + "/.forgotten";
}

std::string note_of(const StorePlaces& places, const std::string& library)
{
    return folder_of_notes(places) + "/" + library;
}

// The journals that are there now, a line each; empty if files have no lasting identity here.
std::optional<std::vector<std::string>> journal_marks(const StorePlaces& places, const std::string& library)
{
    std::vector<std::string> marks;
    for (const auto& directory : places.token_directories(library)) {
        for (const auto* name : {"/journal.a", "/journal.b"}) {
            const auto file = open_regular_file(directory + name);
            const auto mark = file ? storage::mark_of(file->get()) : storage::FileMark();
            if (file && !storage::is_known(mark)) {
                return std::nullopt;
            }
            if (file) {
                marks.push_back(fmt::format("journal {} {} {}\n", mark.inode, mark.birth, mark.generation));
            }
        }
    }
    return marks;
}

// What a note says about the journals that are to go; "" = nothing.
std::string text_of_note(const StorePlaces& places, const std::string& library)
{
    const auto marks = journal_marks(places, library);
    return !marks ? "" : marks->empty() ? "no journal\n" : fmt::format("{}", fmt::join(*marks, ""));
}

std::uint64_t bytes_below(const std::string& path)
{
    std::error_code unknown;
    const auto kind = fs::symlink_status(path, unknown).type();
    if (kind == fs::file_type::regular) {
        const auto bytes = fs::file_size(path, unknown);
        return unknown ? 0 : bytes;
    }
    std::uint64_t bytes = 0;
    if (kind == fs::file_type::directory) {
        for (fs::recursive_directory_iterator each(path, unknown), end; !unknown && each != end;
             each.increment(unknown)) {
            std::error_code gone;
            const auto size = each->is_regular_file(gone) ? each->file_size(gone) : 0;
            bytes += gone ? 0 : size;
        }
    }
    return bytes;
}

// Removed files may stay readable on the disk for long.
Result<void> overwrite(const std::string& path)
{
    if (!is_there(path)) {
        return {};
    }
    std::error_code unknown;
    const auto size = fs::file_size(path, unknown);
    SHELFD_TRY_ASSIGN(file, storage::PosixJournalFile::open(path, 0));
    static constexpr std::array<std::byte, 8192> zeros{};
    for (std::uintmax_t at = 0; !unknown && at < size; at += zeros.size()) {
        const auto part = std::min<std::uintmax_t>(zeros.size(), size - at);
        SHELFD_TRY(file->pwrite(at, std::span(zeros).first(part)));
    }
    return file->sync();
}

// The claim to a directory of journals; none if there is no directory.
Result<std::optional<storage::FileLock>> lock(const std::string& directory)
{
    if (!is_there(directory)) {
        return std::optional<storage::FileLock>();
    }
    SHELFD_TRY_ASSIGN(held, storage::FileLock::acquire(directory + "/lock"));
    return std::optional(std::move(held));
}

Result<void> remove_journals(const std::string& directory)
{
    const auto held = lock(directory);
    if (!held) {
        return held.error();
    }
    for (const auto* name : {"/journal.a", "/journal.b"}) {
        SHELFD_TRY(overwrite(directory + name));
    }
    return remove_durably(directory);
}

Result<void> remove_item(const RemovedItem& item, bool has_secrets)
{
    std::error_code unknown;
    if (has_secrets && fs::is_directory(item.path, unknown)) {
        return remove_journals(item.path);
    }
    if (has_secrets) {
        SHELFD_TRY(overwrite(item.path));
    }
    return remove_durably(item.path);
}

}  // namespace

Result<void> order_removal(const StorePlaces& places, const std::string& library)
{
    const auto folder = folder_of_notes(places);
    if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
        return storage::errno_error("cannot create " + folder, errno);
    }
    SHELFD_TRY(storage::sync_directory(places.storage.mirrors));
    return storage::replace_file(note_of(places, library), text_of_note(places, library),
                                 {.durability = storage::Durability::disk});
}

bool is_removal_ordered(const StorePlaces& places, const std::string& library)
{
    return is_there(note_of(places, library));
}

std::vector<std::string> ordered_removals(const StorePlaces& places)
{
    std::vector<std::string> names;
    std::error_code failed;
    for (fs::directory_iterator each(folder_of_notes(places), failed), end; !failed && each != end;
         each.increment(failed)) {
        if (auto name = each->path().filename().string(); config::is_name(name)) {
            names.push_back(std::move(name));
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

// A note that came back with a backup of the mirrors must not remove a token set that was issued since.
Result<void> check_removal(const StorePlaces& places, const std::string& library)
{
    const auto note = note_of(places, library);
    const auto meant = read_regular_file(note, 4096);
    if (!meant) {
        return Error(meant.error().kind(), fmt::format("cannot read {}: {}", note, meant.error().text()));
    }
    const auto found = journal_marks(places, library);
    if (found && !meant->empty()) {
        const auto is_meant = [&](const std::string& mark) { return meant->find(mark) != std::string::npos; };
        return std::all_of(found->begin(), found->end(), is_meant)
                   ? Result<void>()
                   : Error(ErrorKind::usage,
                           fmt::format("{} was written for an earlier token set of {}; remove that file, then: "
                                       "shelfctl reload",
                                       note, library));
    }
    SHELFD_TRY_ASSIGN(has_set, holds_set(places, library));
    return has_set ? Error(ErrorKind::usage,
                           fmt::format("{} asks for a removal, but does not say of which token set of {}; remove that "
                                       "file, then: shelfctl reload; or, if the set that is there is to be removed: "
                                       "shelfctl library forget {}",
                                       note, library, library))
                   : Result<void>();
}

Result<std::vector<RemovedItem>> carry_out_removal(const StorePlaces& places, const std::string& library)
{
    struct Kind {
        const char* what;
        std::string path;  // "" = there is none
        bool has_secrets;
    };
    const bool has_set = holds_set(places, library).value_or(true);
    const Kind kinds[] = {
        {has_set ? "token set" : "token journals, which had no set", places.tokens(library), true},
        {has_set ? "second copy of the token set" : "second copy of the token journals", places.tokens_copy(library),
         true},
        {"token set in memory", places.refuge_of(library), true},
        {"mirror and snapshots", places.mirror(library), false},
        {"request log", places.request_log(library), false},
    };
    std::vector<RemovedItem> removed;
    for (const auto& kind : kinds) {
        if (!kind.path.empty() && is_there(kind.path)) {
            const RemovedItem item{kind.what, kind.path, bytes_below(kind.path)};
            SHELFD_TRY(remove_item(item, kind.has_secrets));
            removed.push_back(item);
        }
    }
    if (const auto note = places.generation_note(library); !note.empty()) {
        SHELFD_TRY(remove_durably(note));
    }
    return removed;
}

Result<void> forget_removal(const StorePlaces& places, const std::string& library)
{
    return remove_durably(note_of(places, library));
}

}  // namespace shelfd::app
