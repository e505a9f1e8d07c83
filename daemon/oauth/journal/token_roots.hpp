// Where the two copies of the token sets were kept: recognises a directory whose file system is not mounted.
#pragma once

#include "base/result.hpp"
#include "storage/file_mark.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string>

namespace shelfd::oauth {

struct Directories;

// The directories `tokens` and `tokens_copy` of all libraries. Each holds a file ".places" that names both, and what
// their file systems were. It is believed if the directory that holds it is still the one that it names: a store that
// was moved or restored as a whole may be in other places. All calls block; one caller at a time.
class TokenRoots {
public:
    enum Role : std::size_t { tokens = 0, tokens_copy = 1 };

    explicit TokenRoots(const Directories& directories);

    // Fails with kind storage if the directory is missing or on another file system although it held token sets, with a
    // text that names both ways out. `library_directory` below it is about to be used; where it is that of `tokens` and
    // exists, its journals tell themselves whether they were copied.
    Result<void> check(Role role, const std::string& library_directory) const;
    // The library's directory below it is claimed: remembers what the directory is. Once both are claimed, the files
    // are brought up to date. A failure is no error: the next call writes them.
    void claimed(Role role, const std::string& library_directory);
    // The claim is lost.
    void released(Role role) { is_claimed_.at(role) = false; }

private:
    struct Places {
        std::array<std::string, 2> paths;
        std::array<storage::FileMark, 2> marks;
        friend bool operator==(const Places&, const Places&) = default;
    };

    static Places parse(const std::string& text);
    static std::string text_of(const Places& places);
    Places read(Role role) const;
    std::optional<storage::FileMark> expected(Role role) const;
    std::string cure(Role role) const;
    bool is_apart() const { return !paths_[tokens_copy].empty(); }

    std::array<std::string, 2> paths_;
    std::array<std::optional<storage::FileMark>, 2> seen_;  // when they were claimed in this process
    std::array<bool, 2> is_claimed_{};
};

}  // namespace shelfd::oauth
