#include "app/stores/mirror_place.hpp"

#include "app/stores/file_system_mark.hpp"
#include "base/regular_file.hpp"
#include "base/words/shell_word.hpp"
#include "storage/filesystem.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <sstream>

namespace shelfd::app {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_size = 16U << 10U;

struct Note {
    std::string mirror;         // directory
    FileSystem of_mirror = {};  // there
    FileSystem of_tokens = {};  // of the directory that holds the note
    std::string root = {};      // directory of all mirrors; "" = not noted
    FileSystem of_root = {};
    friend bool operator==(const Note&, const Note&) = default;
};

std::string note_in(const std::string& directory)
{
    return directory + "/mirror_place";
}

std::string text_of(const Note& note)
{
    const auto line = [](const char* key, const FileSystem& of, const std::string& path) {
        return fmt::format("{} {:x} {} {}\n", key, of.type, of.id.empty() ? "-" : of.id, path);
    };
    return "# Written by shelfd: where the mirror is, and on which file system; and on which this file is.\n" +
           line("mirror", note.of_mirror, note.mirror) + line("here", note.of_tokens, "-") +
           line("root", note.of_root, note.root);
}

std::optional<Note> read(const std::string& directory)
{
    Note note;
    std::istringstream lines(read_regular_file(note_in(directory), max_size).value_or(""));
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string key;
        FileSystem of;
        std::string path;
        words >> key >> std::hex >> of.type >> of.id;
        std::getline(words >> std::ws, path);
        of.id = of.id == "-" ? "" : of.id;
        if (key == "mirror" && !path.empty()) {
            note.mirror = path;
            note.of_mirror = of;
        } else if (key == "here" && !path.empty()) {
            note.of_tokens = of;
        } else if (key == "root" && !path.empty()) {
            note.root = path;
            note.of_root = of;
        }
    }
    const bool is_whole = note.of_mirror.type != 0 && note.of_tokens.type != 0;
    return is_whole ? std::optional(note) : std::nullopt;
}

}  // namespace

MirrorPlace::MirrorPlace(const StorePlaces& places, const std::string& library)
    : root_(places.storage.mirrors), directory_(places.mirror(library)), file_(directory_ + "/" + library + ".db"),
      token_directories_(places.token_directories(library))
{
}

Result<void> MirrorPlace::check() const
{
    if (is_there(file_)) {
        return {};
    }
    const auto now = file_system_of(directory_);
    std::string notes;
    for (const auto& tokens : token_directories_) {
        const auto known = read(tokens);
        const bool is_believed =
            known && known->mirror == directory_ && may_be_same(known->of_tokens, file_system_of(tokens));
        if (is_believed && !may_be_same(known->of_mirror, now)) {
            notes += " " + shell_word(note_in(tokens));
        }
    }
    if (notes.empty()) {
        return {};
    }
    return Error(ErrorKind::storage,
                 fmt::format("{} is not on the file system on which this mirror was kept, and nothing is written "
                             "there: mount that file system; or, if a new mirror is to be filled there: rm -f{}",
                             directory_, notes));
}

void MirrorPlace::note() const
{
    const auto of_mirror = file_system_of(directory_);
    for (const auto& tokens : token_directories_) {
        std::error_code unknown;
        if (!fs::is_directory(tokens, unknown)) {
            continue;
        }
        const Note note{directory_, of_mirror, file_system_of(tokens), root_, file_system_of(root_)};
        if (read(tokens) != note) {
            const auto text = text_of(note);
            [[maybe_unused]] const auto written =
                storage::replace_file(note_in(tokens), text, {.durability = storage::Durability::disk});
        }
    }
}

Result<void> check_mirror_root(const StorePlaces& places)
{
    const auto& root = places.storage.mirrors;
    const auto now = file_system_of(root);
    bool is_elsewhere = false;
    for (const auto& directory : {places.storage.tokens, places.storage.tokens_copy}) {
        std::error_code unreadable;
        for (const auto& library : fs::directory_iterator(fs::path(directory), unreadable)) {
            const auto tokens = library.path().string();
            const auto known = read(tokens);
            if (!known || known->root != root || !may_be_same(known->of_tokens, file_system_of(tokens))) {
                continue;
            }
            const auto name = library.path().filename().string();
            if (may_be_same(known->of_root, now) || is_there(places.mirror(name) + "/" + name + ".db")) {
                return {};
            }
            is_elsewhere = true;
        }
    }
    return is_elsewhere
               ? Error(ErrorKind::storage,
                       fmt::format("{} (storage.mirrors) is not on the file system on which mirrors were kept, "
                                   "and nothing is written there: mount that file system",
                                   root))
               : Result<void>();
}

}  // namespace shelfd::app
