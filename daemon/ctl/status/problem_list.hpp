// Lists what is wrong, worst first, each cause once.
#pragma once

#include "ctl/screen/terminal.hpp"
#include "ctl/status/status_view.hpp"

#include <optional>
#include <string>
#include <vector>

namespace shelfd::ctl {

struct Trouble {
    int rank = 0;       // 0 is the worst
    std::string who;    // "antwerp", "antwerp recipes, antwerp stock", "antwerp (5 tables)"
    std::string state;  // "needs person", "late"; "" for a notice of the daemon
    Colour colour = Colour::red;
    std::string why;  // "" = unknown
    std::optional<Instant> since;
    std::optional<Instant> deadline;
    std::string do_this;  // "" if only waiting helps
};

// Tables with the same state, reason and cure are one trouble; those that wait for the token set belong to its trouble.
std::vector<Trouble> find_troubles(const StatusView& status);

// "needs person" for "needs_person".
std::string spaced(std::string_view word);

}  // namespace shelfd::ctl
