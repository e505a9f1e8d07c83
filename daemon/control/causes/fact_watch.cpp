#include "control/causes/fact_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace shelfd::control {
namespace {

// Names of `app/report/token_report.cpp`.
constexpr auto watched =
    std::to_array<std::string_view>({"a refresh gives a new refresh token", "a refresh ends the old access token",
                                     "lifetime of an access token", "scope"});
constexpr const char* limit_name = "requests a minute";

FactWatch::Facts facts_of(const LibraryStatus& library)
{
    FactWatch::Facts facts;
    for (const auto& fact : library.token.facts) {
        if (std::find(watched.begin(), watched.end(), fact.name) != watched.end()) {
            facts[fact.name] = fact.value;
        }
    }
    if (library.budget.limit) {
        facts[limit_name] = std::to_string(*library.budget.limit);
    }
    return facts;
}

Affected affected_by(const LibraryStatus& library, const std::string& name, const std::string& before,
                     const std::string& after)
{
    Affected affected;
    affected.library = library.name;
    affected.why = fmt::format("{}: {}, before: {}", name, after, before);
    return affected;
}

}  // namespace

std::vector<Cause> FactWatch::compare(const Status& status)
{
    std::map<std::string, Cause> changes;
    Known known;
    for (const auto& library : status.libraries) {
        auto facts = facts_of(library);
        auto before = known_[library.name];
        for (const auto& [name, value] : facts) {
            const auto old = before.find(name);
            if (old == before.end() || old->second == value) {
                continue;
            }
            const auto key = fmt::format("service_changed {} {}", library.origin, name);
            auto& cause = changes[key];
            cause.key = key;
            cause.kind = CauseKind::service_changed;
            cause.severity = Severity::info;
            cause.origin = library.origin;
            cause.since = status.now;
            cause.momentary = true;
            cause.affected.push_back(affected_by(library, name, old->second, value));
        }
        // A fact that is missing now, such as the lifetime while there is no set, is not forgotten.
        before.merge(facts);
        for (auto& [name, value] : facts) {
            before[name] = value;
        }
        known[library.name] = std::move(before);
    }
    changed_ = changed_ || known != known_;
    known_ = std::move(known);
    std::vector<Cause> causes;
    for (auto& [key, cause] : changes) {
        sort_by_library(cause.affected);
        causes.push_back(std::move(cause));
    }
    return causes;
}

}  // namespace shelfd::control
