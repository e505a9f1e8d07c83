// Lists what is wrong, worst first, each cause once however many libraries it has.
#pragma once

#include "ctl/screen/terminal.hpp"
#include "ctl/status/status_view.hpp"

#include <optional>
#include <string>
#include <vector>

namespace shelfd::ctl {

struct Trouble {
    int rank = 0;       // 0 is the worst
    std::string who;    // "antwerp", "antwerp recipes, stock", "antwerp, ghent, hasselt and 36 more libraries"
    std::string state;  // "needs person", "late", "a snapshot cannot be made"; "" for a notice of the daemon
    Colour colour = Colour::red;
    std::string why;  // "" = unknown
    std::optional<Instant> since;
    std::optional<Instant> deadline;  // when syncing stops
    bool ends_for_all = true;         // at that time; otherwise it is that of the first of them
    std::optional<Instant> late_at;   // of the first table, where that is the deadline
    std::string do_this;              // "" if only waiting helps
    bool for_each = false;            // `do_this` is that of the first library, the others have their own
    std::string next;                 // what the daemon does by itself, after "the daemon"; "" = nothing that is known
    std::optional<Instant> next_try;  // when it does that
    std::optional<Instant> last_try;  // for the one that waits longest, if they differ
    std::string contact;              // whom to tell, "" = not known
    std::string note;                 // of the libraries, "" = none, or --problem shows them
    std::string id;                   // for --problem; "" if that shows no more
};

// Problems of one kind are one trouble if only names and times differ in their sentences. Tables that no problem covers
// are listed if there is something to say about them.
std::vector<Trouble> find_troubles(const StatusView& status);

// The problems of that id, or of the incident with that id in alerts.
std::vector<control::Cause> problems_named(const StatusView& status, const std::string& id);

// "needs person" for "needs_person".
std::string spaced(std::string_view word);

// "antwerp recipes, stock and 3 more", "antwerp (all 6 tables)", "antwerp", "shelfd" for the daemon itself.
std::string describe_affected(const control::Affected& affected);

}  // namespace shelfd::ctl
