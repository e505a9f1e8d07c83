#include "oauth/journal/token_roots.hpp"

#include "base/regular_file.hpp"
#include "base/words/shell_word.hpp"
#include "oauth/journal/store.hpp"
#include "storage/filesystem.hpp"

#include <filesystem>
#include <sstream>

#include <fmt/format.h>

namespace shelfd::oauth {
namespace {

constexpr std::size_t max_size = 16u << 10;
constexpr std::array<const char*, 2> keys = {"tokens", "tokens_copy"};

std::string note_in(const std::string& directory)
{
    return directory + "/.places";
}

bool is_directory(const std::string& path)
{
    std::error_code unknown;
    return std::filesystem::is_directory(path, unknown);
}

// A directory that was removed and made again on its file system is the same place. Where file systems have no known
// id, the directory itself is compared.
bool is_same_place(const storage::FileMark& then, const storage::FileMark& now)
{
    const bool has_ids = !then.file_system.empty() && !now.file_system.empty();
    return has_ids ? then.file_system == now.file_system : storage::may_be_same(then, now);
}

TokenRoots::Role other(TokenRoots::Role role)
{
    return role == TokenRoots::tokens ? TokenRoots::tokens_copy : TokenRoots::tokens;
}

}  // namespace

TokenRoots::TokenRoots(const Directories& directories) : paths_{directories.tokens, directories.tokens_copy}
{
    if (paths_[tokens_copy] == paths_[tokens]) {
        paths_[tokens_copy].clear();
    }
}

TokenRoots::Places TokenRoots::parse(const std::string& text)
{
    Places places;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string key;
        storage::FileMark mark;
        words >> key >> mark.inode >> mark.birth >> mark.generation >> mark.file_system;
        std::string path;
        std::getline(words >> std::ws, path);
        for (std::size_t i = 0; i < keys.size(); ++i) {
            if (key == keys.at(i) && !path.empty()) {
                mark.file_system = mark.file_system == "-" ? "" : mark.file_system;
                places.paths.at(i) = path;
                places.marks.at(i) = mark;
            }
        }
    }
    return places;
}

std::string TokenRoots::text_of(const Places& places)
{
    std::string text = "# Written by shelfd: where both copies of the token sets are, and on which file systems.\n";
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const auto& mark = places.marks.at(i);
        text += fmt::format("{} {} {} {} {} {}\n", keys.at(i), mark.inode, mark.birth, mark.generation,
                            mark.file_system.empty() ? "-" : mark.file_system, places.paths.at(i));
    }
    return text;
}

TokenRoots::Places TokenRoots::read(Role role) const
{
    return parse(read_regular_file(note_in(paths_.at(role)), max_size).value_or(""));
}

// What the directory was when both copies were last in use, as the other directory knows it; if that is not what this
// process has seen, as this process knows it.
std::optional<storage::FileMark> TokenRoots::expected(Role role) const
{
    const auto partner = other(role);
    const auto partner_now = is_apart() ? storage::mark_of_directory(paths_.at(partner)) : storage::FileMark();
    const bool is_partner_there = is_apart() && is_directory(paths_.at(partner)) &&
                                  (!seen_.at(partner) || is_same_place(*seen_.at(partner), partner_now));
    if (!is_partner_there) {
        return seen_.at(role);
    }
    const auto places = read(partner);
    const bool is_believed = places.paths == paths_ && is_same_place(places.marks.at(partner), partner_now);
    return is_believed ? std::optional(places.marks.at(role)) : std::nullopt;
}

std::string TokenRoots::cure(Role role) const
{
    if (!is_apart()) {
        return "mount its file system, or restart shelfd after creating it";
    }
    return "mount its file system; or, if this copy is to be written anew: rm -f " +
           shell_word(note_in(paths_.at(other(role))));
}

Result<void> TokenRoots::check(Role role, const std::string& library_directory) const
{
    const auto was = expected(role);
    if (!was) {
        return {};
    }
    const auto& path = paths_.at(role);
    if (!is_directory(path)) {
        return Error(ErrorKind::storage, fmt::format("there is no directory {}, in which token sets were kept "
                                                     "(storage.{}): {}",
                                                     path, keys.at(role), cure(role)));
    }
    const bool tells_itself = role == tokens && is_directory(library_directory);
    if (tells_itself || is_same_place(*was, storage::mark_of_directory(path))) {
        return {};
    }
    return Error(ErrorKind::storage, fmt::format("{} is not on the file system on which the token sets were kept "
                                                 "(storage.{}): {}",
                                                 path, keys.at(role), cure(role)));
}

void TokenRoots::claimed(Role role, const std::string& library_directory)
{
    seen_.at(role) = storage::mark_of_directory(paths_.at(role));
    is_claimed_.at(role) = true;
    if (!is_apart() || !is_claimed_[tokens] || !is_claimed_[tokens_copy]) {
        return;
    }
    const Places places{paths_, {*seen_[tokens], *seen_[tokens_copy]}};
    const auto name = std::filesystem::path(library_directory).filename().string();
    for (const auto& path : paths_) {
        if (parse(read_regular_file(note_in(path), max_size).value_or("")) == places) {
            continue;
        }
        // Other libraries may write it at the same time: each has a file of its own for that.
        const auto fresh = path + "/" + name + "/places";
        std::error_code ignored;
        if (storage::replace_file(fresh, text_of(places), {.durability = storage::Durability::disk})) {
            std::filesystem::rename(fresh, note_in(path), ignored);
            [[maybe_unused]] const auto done = storage::sync_directory(path);
        }
    }
}

}  // namespace shelfd::oauth
