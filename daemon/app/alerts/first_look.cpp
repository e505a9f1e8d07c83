#include "app/alerts/first_look.hpp"

#include "control/causes/looked_at.hpp"

#include <algorithm>
#include <set>
#include <string_view>

namespace shelfd::app {

bool may_look(const control::Status& status, const control::IncidentBook::Record& before)
{
    std::set<std::string_view> in_trouble;
    const auto add = [&in_trouble](const control::Cause& cause) {
        for (const auto& one : cause.affected) {
            in_trouble.insert(one.library);
        }
    };
    for (const auto& cause : status.problems) {
        add(cause);
    }
    for (const auto& incident : before.open) {
        add(incident.cause);
    }
    return std::all_of(status.libraries.begin(), status.libraries.end(), [&](const control::LibraryStatus& library) {
        return !in_trouble.contains(library.name) || has_reported(library, status.now);
    });
}

}  // namespace shelfd::app
