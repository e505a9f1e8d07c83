// Where a library's mirror was kept: recognises a directory whose file system is not mounted.
#pragma once

#include "app/stores/library_places.hpp"
#include "base/result.hpp"

#include <string>
#include <vector>

namespace shelfd::app {

// A file "mirror_place" in the library's directory of token journals names the directory of its mirror and that of all
// mirrors, and the file systems there. It is believed if that directory of token journals is still on its own file
// system, too: a token store that was moved or restored knows nothing of the mirrors beside it. Blocks; one thread at a
// time.
class MirrorPlace {
public:
    MirrorPlace(const StorePlaces& places, const std::string& library);

    // Call before the file of a mirror is made where none is. Fails with kind storage, and a text that names both ways
    // out, if the directory was on another file system when the mirror was last in use; a directory that is missing
    // counts as on that of its parent. Does not fail if nothing is known, or if the file is there.
    Result<void> check() const;
    // The mirror is in use: remembers where it is. A failure is no error: the next call writes the note.
    void note() const;

private:
    std::string root_;                            // directory of all mirrors
    std::string directory_;                       // of the mirror
    std::string file_;                            // the mirror
    std::vector<std::string> token_directories_;  // each has a note
};

// Fails with kind storage if the notes of all libraries that have some say that the directory of all mirrors was on
// another file system when mirrors in it were last in use, and none of these mirrors is there. Blocks.
Result<void> check_mirror_root(const StorePlaces& places);

}  // namespace shelfd::app
