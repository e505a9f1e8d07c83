#include "control/model/cause.hpp"

#include "base/words/natural_order.hpp"
#include "base/words/stable_mark.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace shelfd::control {
namespace {

using namespace std::chrono_literals;

struct KindFacts {
    CauseKind kind;
    std::string_view word;
    std::string_view title;
    std::string_view who;
    Duration patience;
    Duration quiet;
};

constexpr std::array<KindFacts, 30> kinds = {{
    {CauseKind::service, "service", "the service fails", "service", 10min, 2min},
    {CauseKind::network, "network", "the service cannot be reached", "operator", 10min, 2min},
    {CauseKind::limit, "limit", "rate limited by the service", "nobody", 30min, 2min},
    {CauseKind::token_lost, "token_lost", "there is no usable token set", "owner", 0min, 20s},
    {CauseKind::foreign_rotation, "foreign_rotation", "the token set was used or revoked elsewhere", "owner", 0min,
     20s},
    {CauseKind::wrong_library, "wrong_library", "the token acts on another library", "owner", 0min, 2min},
    {CauseKind::application, "application", "the service refuses the application", "operator", 5min, 20s},
    {CauseKind::refresh, "refresh", "the token set cannot be refreshed", "operator", 10min, 2min},
    {CauseKind::access_ends, "access_ends", "access ends", "owner", 0min, 20s},
    {CauseKind::permission, "permission", "a scope or permission is missing", "owner", 5min, 2min},
    {CauseKind::held, "held", "rows wait for a decision before they are deleted", "operator", 0min, 20s},
    {CauseKind::key_drift, "key_drift", "items of a list lack a key of their own", "operator", 5min, 2min},
    {CauseKind::configuration, "configuration", "a list cannot be read as it is configured", "operator", 5min, 2min},
    {CauseKind::late, "late", "tables are late", "operator", 10min, 2min},
    {CauseKind::disk, "disk", "a disk of this machine cannot be written", "operator", 1min, 2min},
    {CauseKind::journal_copy, "journal_copy", "a copy of the token journals cannot be used", "operator", 5min, 2min},
    {CauseKind::clock, "clock", "the clocks of this machine and of the service differ", "operator", 10min, 2min},
    {CauseKind::wal, "wal", "a reader keeps the WAL of a mirror from being emptied", "operator", 60min, 2min},
    {CauseKind::snapshot, "snapshot", "a snapshot cannot be made", "operator", 0min, 20s},
    {CauseKind::bug, "bug", "a bug of shelfd has stopped a library", "operator", 0min, 20s},
    {CauseKind::not_running, "not_running", "a configured library does not run", "operator", 1min, 20s},
    {CauseKind::daemon, "daemon", "the daemon needs attention", "operator", 1min, 20s},
    {CauseKind::service_changed, "service_changed", "the service has changed", "nobody", 0min, 2min},
    {CauseKind::consumer_lag, "consumer_lag", "a consumer of changes lags behind", "operator", 15min, 20s},
    {CauseKind::identity, "identity", "the library of the token is not verified", "operator", 10min, 2min},
    {CauseKind::filter, "filter", "the service does not obey a filter for changes", "operator", 5min, 2min},
    {CauseKind::column_drift, "column_drift", "a column has a kind that does not fit its values", "operator", 5min,
     2min},
    {CauseKind::schedule, "schedule", "the schedules need more requests than the limit allows", "operator", 10min,
     2min},
    {CauseKind::repaired, "repaired", "damage to a file was repaired", "nobody", 0min, 2min},
    {CauseKind::test, "test", "this is a test", "nobody", 0min, 2min},
}};

constexpr std::array<std::string_view, 3> severities = {"info", "ticket", "page"};

const KindFacts& facts_of(CauseKind kind)
{
    return kinds[static_cast<std::size_t>(kind)];
}

}  // namespace

std::string_view to_string(CauseKind kind)
{
    return facts_of(kind).word;
}

std::optional<CauseKind> parse_cause_kind(std::string_view word)
{
    const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const auto& facts) { return facts.word == word; });
    return found == kinds.end() ? std::nullopt : std::optional(found->kind);
}

std::string_view title_of(CauseKind kind)
{
    return facts_of(kind).title;
}

std::string_view to_string(Severity severity)
{
    return severities[static_cast<std::size_t>(severity)];
}

std::optional<Severity> parse_severity(std::string_view word)
{
    const auto found = std::find(severities.begin(), severities.end(), word);
    return found == severities.end() ? std::nullopt : std::optional(static_cast<Severity>(found - severities.begin()));
}

std::string_view who_can_act(CauseKind kind)
{
    return facts_of(kind).who;
}

Duration usual_patience(CauseKind kind)
{
    return facts_of(kind).patience;
}

Duration usual_quiet(CauseKind kind)
{
    return facts_of(kind).quiet;
}

void sort_by_library(std::vector<Affected>& affected)
{
    std::stable_sort(affected.begin(), affected.end(),
                     [](const Affected& a, const Affected& b) { return natural_less(a.library, b.library); });
}

std::string problem_id(const Cause& cause)
{
    // Letters and digits that cannot be confused.
    constexpr std::string_view letters = "23456789abcdefghjkmnpqrstuvwxyz";
    auto hash = stable_mark(cause.key);
    std::string id;
    for (int i = 0; i < 6; ++i) {
        id += letters[hash % letters.size()];
        hash /= letters.size();
    }
    return id;
}

}  // namespace shelfd::control
