// Where the files of a library are: its token set, its mirror, its request log.
#pragma once

#include "base/result.hpp"
#include "config/model/model.hpp"

#include <string>
#include <vector>

namespace shelfd::app {

// Where GenerationNote of a library is; "" without a refuge.
std::string generation_note_of(const std::string& refuge, const std::string& library);

// Directories of all libraries.
struct StorePlaces {
    config::Storage storage;
    std::string refuge;  // memory that outlives the process; "" = none

    std::string tokens(const std::string& library) const { return storage.tokens + "/" + library; }
    // "" if the second copies are beside the first.
    std::string tokens_copy(const std::string& library) const;
    std::string refuge_of(const std::string& library) const;  // "" = none
    std::string generation_note(const std::string& library) const { return generation_note_of(refuge, library); }
    std::string mirror(const std::string& library) const { return storage.mirrors + "/" + library; }
    std::string request_log(const std::string& library) const { return storage.mirrors + "/.requests/" + library; }
    // Both directories of token journals, or the only one.
    std::vector<std::string> token_directories(const std::string& library) const;
};

// True if the path leads to anything, also to a link that leads nowhere.
bool is_there(const std::string& path);

// Renames and makes both names durable. Fails if `to` exists. Errors: storage, permission.
Result<void> move_durably(const std::string& from, const std::string& to);
// Removes a file, or a directory with all that is in it, does not follow links, and makes that durable. Nothing at
// `path` is no error. Errors: storage, permission.
Result<void> remove_durably(const std::string& path);

// True if a journal has a set of that library, or bytes that may be one: at this path, in this directory, or in any
// place of the library. A forgotten set is none. Blocks. Errors: storage, permission.
Result<bool> holds_set_at(const std::string& journal, const std::string& library);
Result<bool> holds_set_in(const std::string& directory, const std::string& library);
Result<bool> holds_set(const StorePlaces& places, const std::string& library);

// The ids by which the service names the library of what is kept under that name: those of its token set and of its
// mirror, each once; none if they are not known, or cannot be read. Blocks.
std::vector<std::string> kept_library_ids(const StorePlaces& places, const std::string& library);

}  // namespace shelfd::app
