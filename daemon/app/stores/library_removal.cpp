#include "app/stores/library_removal.hpp"

#include "base/regular_file.hpp"
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

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

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

// A note that came back with a backup of the mirrors must not remove a token set that was issued since.
Result<void> check_meant(const StorePlaces& places, const std::string& library)
{
    const auto meant = read_regular_file(note_of(places, library), 4096);
    const auto found = journal_marks(places, library);
    if (!meant || meant->empty() || !found) {
        return {};
    }
    const auto is_meant = [&](const std::string& mark) { return meant->find(mark) != std::string::npos; };
    return std::all_of(found->begin(), found->end(), is_meant)
               ? Result<void>()
               : Error(ErrorKind::usage, fmt::format("{} asks for the removal of an earlier token set of {} than the "
                                                     "one that is there; remove that file",
                                                     note_of(places, library), library));
}

Result<void> write_all(const FileDescriptor& file, const std::string& path, const std::string& text)
{
    const auto written = ::pwrite(file.get(), text.data(), text.size(), 0);
    if (written != static_cast<ssize_t>(text.size()) || ::fsync(file.get()) != 0) {
        return storage::errno_error("cannot write " + path, written < 0 ? errno : EIO);
    }
    return {};
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
    const auto path = note_of(places, library);
    auto file = open_regular_file(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0600);
    if (!file) {
        return std::move(file.error()).in("cannot create " + path);
    }
    SHELFD_TRY(write_all(*file, path, text_of_note(places, library)));
    return storage::sync_directory(folder);
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
        names.push_back(each->path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
}

Result<std::vector<RemovedItem>> carry_out_removal(const StorePlaces& places, const std::string& library)
{
    struct Kind {
        const char* what;
        std::string path;  // "" = there is none
        bool has_secrets;
    };
    const Kind kinds[] = {
        {"token set", places.tokens(library), true},
        {"second copy of the token set", places.tokens_copy(library), true},
        {"token set in memory", places.refuge_of(library), true},
        {"mirror and snapshots", places.mirror(library), false},
        {"request log", places.request_log(library), false},
    };
    SHELFD_TRY(check_meant(places, library));
    std::vector<RemovedItem> removed;
    for (const auto& kind : kinds) {
        if (!kind.path.empty() && is_there(kind.path)) {
            const RemovedItem item{kind.what, kind.path, bytes_below(kind.path)};
            SHELFD_TRY(remove_item(item, kind.has_secrets));
            removed.push_back(item);
        }
    }
    return removed;
}

Result<void> forget_removal(const StorePlaces& places, const std::string& library)
{
    return remove_durably(note_of(places, library));
}

}  // namespace shelfd::app
