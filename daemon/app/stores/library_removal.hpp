// The removal of all that is kept of a library, and the note that it is wanted.
//
// Before the first file is removed, the note is durable: a daemon that was killed continues at the next start. It stays
// as long as the library is configured, so that no empty library of that name begins. It names the files of the
// journals that are to go: a note that comes back with a backup removes no set that was issued since, see
// check_removal. It keeps the receipt, too, for whoever repeats the verb after a kill.
#pragma once

#include "app/stores/library_places.hpp"

#include <cstdint>
#include <optional>

namespace shelfd::app {

struct RemovedItem {
    // "token set", "second copy of the token set", "mirror and snapshots", "request log"; "token journals, which had no
    // set" if there was none, or none was left by a removal that was interrupted.
    std::string what;
    std::string path;
    std::uint64_t bytes = 0;
};

// Whether the service has revoked the token set, at this request or an earlier one.
enum class Revoked { no, yes };

// What a removal that was ordered was about to do.
struct OrderedRemoval {
    Revoked revoked = Revoked::no;
    std::vector<RemovedItem> items;  // that were there
};

// Writes the note, and returns what it says besides; what an earlier one for the same token set says stays true.
// Durable on return. Blocks, as all of these. Errors: storage, permission.
Result<OrderedRemoval> order_removal(const StorePlaces& places, const std::string& library,
                                     Revoked revoked = Revoked::no);
// What the note says, if it means the token set that is there.
std::optional<OrderedRemoval> ordered_removal(const StorePlaces& places, const std::string& library);
bool is_removal_ordered(const StorePlaces& places, const std::string& library);
// All libraries with a note.
std::vector<std::string> ordered_removals(const StorePlaces& places);
// Whether the note means the token set that is there; asked before an order of an earlier time is carried out. A note
// without names of files, because they have no lasting identity here, means no set. Error usage: it
// does not, with what to do; storage, permission.
Result<void> check_removal(const StorePlaces& places, const std::string& library);
// Removes what is left, token set first: its bytes are overwritten before its files are removed. No library of that
// name may run. Errors: busy if another daemon has the journals; storage, permission: call again.
Result<std::vector<RemovedItem>> carry_out_removal(const StorePlaces& places, const std::string& library);
// Removes the note, after the removal, once the library is not configured.
Result<void> forget_removal(const StorePlaces& places, const std::string& library);

}  // namespace shelfd::app
