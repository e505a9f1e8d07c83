// The trouble that keeps one table from advancing, and since when.
#pragma once

#include "base/instant.hpp"
#include "base/result.hpp"
#include "mirror/mirror.hpp"
#include "sync/pass/pass_report.hpp"
#include "sync/trouble/trouble.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace shelfd::sync {

struct TableTrouble {
    Trouble trouble = Trouble::none;
    ErrorKind cause = ErrorKind::storage;  // for trouble with the mirror
    std::string why;
    std::optional<Instant> trouble_since;
    TroubleSource source = TroubleSource::service;
    Cure cure = {};  // the end of `why`
};

// The trouble of a table after `pass`, if it was `before`. `since_restart`: since when the same trouble has lasted, if
// it began before this process.
TableTrouble trouble_after(const PassReport& pass, const TableTrouble& before, std::optional<Instant> since_restart);

// What the last pass before this start met, if that passes by itself: it has lasted since then. Empty if the mirror
// records no such trouble.
std::optional<TableTrouble> trouble_before_restart(const mirror::ResourceSummary& summary);

// A person has acted: until it is known whether that was enough, the request to act is not shown.
void forget_request(TableTrouble& trouble, mirror::ResourceSummary& summary);

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

// Passes in a row that brought no page, for a reason that may pass or may need a person.
class UnreadPasses {
public:
    // Whether to ask once more before judge(): a person waits, and only this answer denies a list that was read.
    static bool is_worth_another_look(const PassReport& pass, const mirror::ResourceSummary& summary, bool asked_for);
    // Corrects the trouble of a pass over a table that was as in `summary`. A front end that answers every path of a
    // list that was never read with its own page does so permanently, while maintenance pages end; a list that was read
    // before and is denied (404, a redirect) may be so while the service is deployed. `asked_for`: a person waits for
    // the answer, and it was asked for twice, so it stands.
    void judge(PassReport& pass, const mirror::ResourceSummary& summary, bool asked_for);

private:
    std::uint32_t no_json_ = 0;
    std::uint32_t denials_ = 0;
};

}  // namespace shelfd::sync
