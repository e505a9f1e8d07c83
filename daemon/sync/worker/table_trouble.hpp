// The trouble that keeps one table from advancing, and since when.
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
    ErrorKind cause = ErrorKind::storage;  // for trouble with the mirror
    std::string why;
    std::optional<Instant> trouble_since;
    TroubleSource source = TroubleSource::service;
};

// The trouble of a table after `pass`, if it was `before`. `since_restart`: since when the same trouble has lasted, if
// it began before this process.
TableTrouble trouble_after(const PassReport& pass, const TableTrouble& before, std::optional<Instant> since_restart);

// The trouble of a ledger's newest windows, until a round over them succeeds. Successful passes over older windows do
// not end it, except trouble with the token set or the disk.
class NewestWindowTrouble {
public:
    // What the table shows after `pass`, which left it in the trouble `now`.
    enum class Walked { newest, older };
    TableTrouble after(const PassReport& pass, Walked walked, TableTrouble now);

private:
    TableTrouble trouble_;
};

}  // namespace shelfd::sync
