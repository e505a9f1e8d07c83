#include "control/causes/pause_fold.hpp"

#include "control/model/contacts.hpp"
#include "control/model/pause_range.hpp"

#include <algorithm>
#include <utility>

namespace shelfd::control {
namespace {

void join(Cause& whole, Cause part)
{
    whole.severity = std::max(whole.severity, part.severity);
    whole.since = !whole.since || (part.since && *part.since < *whole.since) ? part.since : whole.since;
    std::move(part.affected.begin(), part.affected.end(), std::back_inserter(whole.affected));
    whole.contact = describe_contacts(whole.affected);
}

}  // namespace

std::string alert_key(const Cause& cause)
{
    return cause.kind == CauseKind::limit && !cause.origin.empty()
               ? std::string(to_string(cause.kind)) + " " + cause.origin
               : cause.key;
}

std::vector<Cause> fold_pauses(std::vector<Cause> causes)
{
    std::vector<Cause> folded;
    for (auto& cause : causes) {
        cause.key = alert_key(cause);
        const auto known =
            std::find_if(folded.begin(), folded.end(), [&cause](const Cause& one) { return one.key == cause.key; });
        if (known == folded.end()) {
            folded.push_back(std::move(cause));
        } else {
            join(*known, std::move(cause));
        }
    }
    for (auto& cause : folded) {
        if (cause.kind == CauseKind::limit) {
            auto why = describe_pauses(cause.affected);
            sort_by_library(cause.affected);
            cause.affected.front().why = std::move(why);
        }
    }
    return folded;
}

}  // namespace shelfd::control
