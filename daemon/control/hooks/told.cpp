#include "control/hooks/told.hpp"

#include "base/backoff.hpp"
#include "control/model/reason.hpp"

#include <algorithm>
#include <utility>

namespace shelfd::control {
namespace {

using namespace std::chrono_literals;

constexpr Duration gathering = 1min;
constexpr Duration longest_gathering = 5min;
constexpr Duration first_pause = 5min;
constexpr Duration longest_pause = 1h;
constexpr Duration away = 1h;
// Sentences that differ more often than that name details, not kinds.
constexpr std::size_t max_reasons = 8;

bool is_of_tables(CauseKind kind)
{
    switch (kind) {
    case CauseKind::permission:
    case CauseKind::held:
    case CauseKind::key_drift:
    case CauseKind::configuration:
    case CauseKind::late:
    case CauseKind::filter:
    case CauseKind::column_drift: return true;
    default: return false;
    }
}

// The daemon tries again, and each answer may have a sentence of its own.
bool passes_by_itself(CauseKind kind)
{
    return kind == CauseKind::service || kind == CauseKind::network || kind == CauseKind::limit ||
           kind == CauseKind::late || kind == CauseKind::refresh;
}

std::string member_of(const Affected& affected, const std::string& table)
{
    return affected.library + " " + table;
}

// "antwerp", or "antwerp recipes" for each table where tables count.
std::vector<std::string> members_of(const Affected& affected, CauseKind kind)
{
    if (affected.tables.empty() || !is_of_tables(kind)) {
        return {affected.library};
    }
    std::vector<std::string> members;
    for (const auto& table : affected.tables) {
        members.push_back(member_of(affected, table));
    }
    return members;
}

// "" if it is no news.
std::string reason_of(const Affected& affected, CauseKind kind)
{
    if (kind == CauseKind::held) {
        return "";  // its sentence counts rows and tables
    }
    auto cure = words_in_common(affected.do_this, affected.library, affected.tables);
    // What is wrong with a disk is met at different places, and each says it in its own words.
    if (passes_by_itself(kind) || kind == CauseKind::disk) {
        return cure;
    }
    return reason_in_kind(affected.why, affected.library, affected.tables) + " / " + cure;
}

bool is_new_reason(const Affected& affected, CauseKind kind, const Told& told)
{
    const auto reason = reason_of(affected, kind);
    return !reason.empty() && told.reasons.size() < max_reasons && !told.reasons.contains(reason);
}

}  // namespace

std::vector<Affected> news_in(const Cause& cause, const Told& told)
{
    std::vector<Affected> news;
    for (const auto& affected : cause.affected) {
        const auto is_known = [&told](const std::string& member) { return told.members.contains(member); };
        if (is_new_reason(affected, cause.kind, told)) {
            news.push_back(affected);
        } else if (affected.tables.empty() || !is_of_tables(cause.kind)) {
            if (!is_known(affected.library)) {
                news.push_back(affected);
            }
        } else {
            auto one = affected;
            std::erase_if(one.tables, [&](const std::string& table) { return is_known(member_of(affected, table)); });
            if (!one.tables.empty()) {
                news.push_back(std::move(one));
            }
        }
    }
    return news;
}

std::map<std::string, Instant> deadlines_of(const Cause& cause)
{
    std::map<std::string, Instant> deadlines;
    for (const auto& affected : cause.affected) {
        if (affected.deadline) {
            deadlines[affected.library] = *affected.deadline;
        }
    }
    return deadlines;
}

void tell(Told& told, const Cause& cause, Instant now)
{
    told.at = now;
    told.severity = cause.severity;
    told.deadlines = deadlines_of(cause);
    for (const auto& affected : cause.affected) {
        for (auto& member : members_of(affected, cause.kind)) {
            told.members[std::move(member)] = now;
        }
        if (is_new_reason(affected, cause.kind, told)) {
            told.reasons.insert(reason_of(affected, cause.kind));
        }
    }
    told.news = 0;
    told.news_since.reset();
    told.news_grew.reset();
}

void note_news(Told& told, const Cause& cause, const std::vector<Affected>& news, Instant now)
{
    for (const auto& affected : cause.affected) {
        for (const auto& member : members_of(affected, cause.kind)) {
            if (const auto known = told.members.find(member); known != told.members.end()) {
                known->second = now;
            }
        }
    }
    for (auto& [member, affected_last] : told.members) {
        affected_last = std::min(affected_last, now);  // the wall clock may be set back
    }
    std::erase_if(told.members, [now](const auto& member) { return now - member.second >= away; });
    std::size_t count = 0;
    for (const auto& affected : news) {
        count += members_of(affected, cause.kind).size();
    }
    if (count == 0) {
        told.news_since.reset();
        told.news_grew.reset();
    } else if (count > told.news || !told.news_since) {
        told.news_since = std::min(told.news_since.value_or(now), now);
        told.news_grew = now;
    }
    told.news = count;
    told.changes = count == 0 && now - told.at >= longest_pause ? 0 : told.changes;
}

bool is_time_for_news(const Told& told, Instant now)
{
    if (!told.news_since || !told.news_grew) {
        return false;
    }
    // A time in the future was noted before the wall clock was set back.
    const auto passed = [now](Instant at, Duration wait) { return at > now || now - at >= wait; };
    const bool is_gathered = passed(*told.news_grew, gathering) || passed(*told.news_since, longest_gathering);
    const auto pause = told.changes == 0 ? Duration(0) : doubled(first_pause, told.changes - 1, longest_pause);
    return is_gathered && passed(told.at, pause);
}

}  // namespace shelfd::control
