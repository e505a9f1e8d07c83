// What keeps one table from moving, and since when.
#pragma once

#include "base/instant.hpp"
#include "base/result.hpp"
#include "sync/pass/pass_report.hpp"
#include "sync/trouble/trouble.hpp"

#include <optional>
#include <string>

namespace shelfd::sync {

struct TableTrouble {
    Trouble trouble = Trouble::none;
    ErrorKind cause = ErrorKind::storage;  // of trouble with the mirror
    std::string why;
    std::optional<Instant> trouble_since;
};

// The trouble of a table after `pass`, where it was `before`. `since_restart`: the same trouble was met before this
// process began, and has lasted since then.
TableTrouble trouble_after(const PassReport& pass, const TableTrouble& before, std::optional<Instant> since_restart);

// The trouble of the newest windows of a ledger, until a round over them succeeds. Passes over older windows that
// succeed say nothing about it; about the token set and the disk they do.
class NewestWindowTrouble {
public:
    // What the table shows after `pass`, which left it in the trouble `now`.
    enum class Walked { newest, older };
    TableTrouble after(const PassReport& pass, Walked walked, TableTrouble now);

private:
    TableTrouble trouble_;
};

}  // namespace shelfd::sync
