// The rename of a library: what is kept under its former name becomes its own.
//
// The configuration is the intent: `formerly = "antwerp"` in [library.antwerpen]. Each step is one rename(2), and the
// steps before the last one may be found done: a daemon that was killed continues at the next start. Nothing is written
// into journals, so their files stay those that their records name; nothing is sent. Of the mirror, the directory goes
// first and the database last, so that a reader finds it with its -wal or not at all. The token set goes last: once it
// is in its place, together with the note of its former name, the rename is done and never looked at again.
#pragma once

#include "app/stores/library_places.hpp"

namespace shelfd::app {

struct LibraryRename {
    std::string from;
    std::string to;
    std::string library_id = {};  // of `to`, as configured; "" = learned
};

// Whether it was carried out, at any time. Blocks.
bool is_rename_done(const StorePlaces& places, const LibraryRename& rename);

// Whether there is anything to do. Changes nothing. Error usage: both names have a token set or a mirror with rows,
// or what is kept belongs to another library than the new name. Blocks.
enum class RenameNeed { none, due };
Result<RenameNeed> assess_rename(const StorePlaces& places, const LibraryRename& rename);

// Does what is left of it, if there is anything. No library of either name may run. Blocks. Errors: as `assess_rename`;
// busy if another daemon has the journals; storage, permission: call again.
Result<RenameNeed> carry_out_rename(const StorePlaces& places, const LibraryRename& rename);

}  // namespace shelfd::app
