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
#include <charconv>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string_view>
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
        for (const auto& journal : storage::journals_in(directory)) {
            const auto file = open_regular_file(journal);
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

constexpr std::size_t max_note = 256u << 10;
constexpr std::string_view revoked_line = "revoked\n";
constexpr std::string_view item_word = "item ";

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
    for (const auto& journal : storage::journals_in(directory)) {
        SHELFD_TRY(overwrite(journal));
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

// What there is to remove. The order is that of the removal.
struct Kept {
    RemovedItem item;
    bool has_secrets = false;
};
std::vector<Kept> find_items(const StorePlaces& places, const std::string& library)
{
    const bool has_set = holds_set(places, library).value_or(true);
    std::vector<Kept> all = {
        {{has_set ? "token set" : "token journals, which had no set", places.tokens(library)}, true},
        {{has_set ? "second copy of the token set" : "second copy of the token journals", places.tokens_copy(library)},
         true},
        {{"token set in memory", places.refuge_of(library)}, true},
        {{"mirror and snapshots", places.mirror(library)}, false},
        {{"request log", places.request_log(library)}, false},
    };
    std::erase_if(all, [](const Kept& one) { return one.item.path.empty() || !is_there(one.item.path); });
    for (auto& one : all) {
        one.item.bytes = bytes_below(one.item.path);
    }
    return all;
}

bool names_path(const std::vector<RemovedItem>& items, const std::string& path)
{
    return std::any_of(items.begin(), items.end(), [&](const RemovedItem& item) { return item.path == path; });
}

// "item BYTES WHAT\tPATH"; a path with a line break is left out of receipts.
std::string line_of(const RemovedItem& item)
{
    return item.path.find('\n') != std::string::npos
               ? ""
               : fmt::format("{}{} {}\t{}\n", item_word, item.bytes, item.what, item.path);
}

std::optional<RemovedItem> item_in(std::string_view line)
{
    const auto tab = line.find('\t');
    if (!line.starts_with(item_word) || tab == std::string_view::npos) {
        return std::nullopt;
    }
    line.remove_prefix(item_word.size());
    RemovedItem item;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), item.bytes);
    const auto blank = static_cast<std::size_t>(end - line.data());
    const auto stop = tab - item_word.size();
    if (error != std::errc() || blank >= stop) {
        return std::nullopt;
    }
    item.what = line.substr(blank + 1, stop - blank - 1);
    item.path = line.substr(stop + 1);
    return item;
}

OrderedRemoval read_note(const std::string& text)
{
    OrderedRemoval said;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line + "\n" == revoked_line) {
            said.revoked = Revoked::yes;
        } else if (auto item = item_in(line)) {
            said.items.push_back(std::move(*item));
        }
    }
    return said;
}

}  // namespace

Result<OrderedRemoval> order_removal(const StorePlaces& places, const std::string& library, Revoked revoked)
{
    auto said = ordered_removal(places, library).value_or(OrderedRemoval());
    auto text = text_of_note(places, library);
    for (auto& found : find_items(places, library)) {
        if (!names_path(said.items, found.item.path)) {
            said.items.push_back(std::move(found.item));
        }
    }
    for (const auto& item : said.items) {
        text += line_of(item);
    }
    said.revoked = revoked == Revoked::yes ? revoked : said.revoked;
    text += said.revoked == Revoked::yes ? revoked_line : "";
    const auto folder = folder_of_notes(places);
    if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
        return storage::errno_error("cannot create " + folder, errno);
    }
    SHELFD_TRY(storage::sync_directory(places.storage.mirrors));
    SHELFD_TRY(storage::replace_file(note_of(places, library), text, {.durability = storage::Durability::disk}));
    return said;
}

std::optional<OrderedRemoval> ordered_removal(const StorePlaces& places, const std::string& library)
{
    const auto text = read_regular_file(note_of(places, library), max_note);
    return text && check_removal(places, library) ? std::optional(read_note(*text)) : std::nullopt;
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

// Not every file system gives files a lasting identity; the receipt begins after what says this.
bool names_journals(const std::string& note)
{
    return note.starts_with("journal ") || note.starts_with("no journal\n");
}

// A note that came back with a backup of the mirrors must not remove a token set that was issued since.
Result<void> check_removal(const StorePlaces& places, const std::string& library)
{
    const auto note = note_of(places, library);
    const auto meant = read_regular_file(note, max_note);
    if (!meant) {
        return Error(meant.error().kind(), fmt::format("cannot read {}: {}", note, meant.error().text()));
    }
    const auto found = journal_marks(places, library);
    if (found && names_journals(*meant)) {
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
    std::vector<RemovedItem> removed;
    for (auto& found : find_items(places, library)) {
        SHELFD_TRY(remove_item(found.item, found.has_secrets));
        removed.push_back(std::move(found.item));
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
