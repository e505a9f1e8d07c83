#include "sync/worker/table_trouble.hpp"

#include "base/words/cure.hpp"
#include "sync/service/page_answer.hpp"
#include "sync/trouble/blocked.hpp"

#include <utility>

namespace shelfd::sync {
namespace {

constexpr std::uint32_t max_without_json = 3;  // each tries several times
constexpr std::uint32_t max_denials = 4;       // with the pauses between them, some minutes

// Whether the table was read before, and nothing but passing trouble has kept it from advancing since. A ledger, or
// lists by parent, can be filling after that.
bool was_fine(const mirror::ResourceSummary& summary)
{
    const auto state = summary.state;
    return state == TableState::fresh || state == TableState::late || state == TableState::held ||
           (state == TableState::filling && summary.as_of);
}

}  // namespace

TableTrouble trouble_after(const PassReport& pass, const TableTrouble& before, std::optional<Instant> since_restart)
{
    TableTrouble after{pass.trouble, pass.cause, pass.why, before.trouble_since, pass.source, pass.cure};
    if (pass.trouble == Trouble::none) {
        after.trouble_since.reset();
    } else if (pass.trouble != before.trouble) {
        after.trouble_since = since_restart.value_or(pass.started);
    }
    return after;
}

std::optional<TableTrouble> trouble_before_restart(const mirror::ResourceSummary& summary)
{
    const bool is_of_pass = summary.since && !summary.why.empty() && !is_blocked(summary.state) &&
                            summary.state != TableState::paused && summary.state != TableState::retired;
    if (!is_of_pass) {
        return std::nullopt;
    }
    return TableTrouble{Trouble::passing, ErrorKind::storage, summary.why, summary.since, summary.cause};
}

void forget_request(TableTrouble& trouble, mirror::ResourceSummary& summary)
{
    trouble = {};
    if (is_blocked(summary.state)) {
        summary.state = summary.as_of ? TableState::fresh : TableState::filling;
        summary.why.clear();
        summary.since.reset();
    }
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

bool UnreadPasses::is_worth_another_look(const PassReport& pass, const mirror::ResourceSummary& summary, bool asked_for)
{
    return asked_for && pass.instead == PassReport::Instead::denial && was_fine(summary);
}

void UnreadPasses::judge(PassReport& pass, const mirror::ResourceSummary& summary, bool asked_for)
{
    using Instead = PassReport::Instead;
    no_json_ = pass.instead == Instead::no_json && !summary.as_of ? no_json_ + 1 : 0;
    if (no_json_ >= max_without_json) {
        pass.trouble = Trouble::needs_person;
        pass.cure = Cure(CureKind::check_address);
        pass.why.append("; ").append(pass.cure.words());
    }
    denials_ = pass.instead == Instead::denial && was_fine(summary) && !asked_for ? denials_ + 1 : 0;
    if (denials_ > 0 && denials_ < max_denials) {
        pass.trouble = Trouble::passing;
        // Nobody is to check anything yet.
        pass.why = without_cure(pass.why, std::exchange(pass.cure, Cure()).words());
    }
}

}  // namespace shelfd::sync
