#include "sync/worker/table_trouble.hpp"

#include <utility>

namespace shelfd::sync {

TableTrouble trouble_after(const PassReport& pass, const TableTrouble& before, std::optional<Instant> since_restart)
{
    TableTrouble after{pass.trouble, pass.cause, pass.why, before.trouble_since, pass.source};
    if (pass.trouble == Trouble::none) {
        after.trouble_since.reset();
    } else if (pass.trouble != before.trouble) {
        after.trouble_since = since_restart.value_or(pass.started);
    }
    return after;
}

TableTrouble NewestWindowTrouble::after(const PassReport& pass, Walked walked, TableTrouble now)
{
    if (walked == Walked::newest) {
        const bool is_its_own = pass.spent.of(budget::Reason::page) > 0 && pass.trouble != Trouble::wrong_library &&
                                pass.trouble != Trouble::storage;
        trouble_ = is_its_own ? now : TableTrouble();
        return now;
    }
    return now.trouble == Trouble::none && trouble_.trouble != Trouble::none ? trouble_ : std::move(now);
}

}  // namespace shelfd::sync
