#include "control/model/sight.hpp"

#include "control/model/contacts.hpp"

#include <algorithm>

namespace shelfd::control {

Status Sight::limit(Status status) const
{
    if (is_everything()) {
        return status;
    }
    // A notice may name any library; one about a library that does not run is for its readers.
    std::erase_if(status.notices,
                  [this](const Notice& notice) { return notice.absent.empty() || !includes(notice.absent); });
    std::erase_if(status.absent, [this](const std::string& library) { return !includes(library); });
    std::erase_if(status.libraries, [this](const LibraryStatus& library) { return !includes(library.name); });
    for (auto& cause : status.problems) {
        std::erase_if(cause.affected, [this](const Affected& one) { return !includes(one.library); });
        cause.contact = describe_contacts(cause.affected);  // it names libraries
    }
    std::erase_if(status.problems, [](const Cause& cause) { return cause.affected.empty(); });
    return status;
}

void Sight::limit(std::vector<IncidentStatus>& incidents) const
{
    for (auto& incident : incidents) {
        const auto all = std::max(incident.libraries.size(), incident.library_count);
        std::erase_if(incident.libraries, [this](const std::string& library) { return !includes(library); });
        incident.library_count = incident.libraries.size();
        if (incident.library_count < all) {  // what is said may be about one of the others
            incident.why.clear();
            incident.do_this.clear();
        }
        incident.called.clear();
        incident.waiting.clear();
        incident.dropped.clear();
    }
    std::erase_if(incidents, [](const IncidentStatus& incident) { return incident.libraries.empty(); });
}

AlertReport Sight::limit(AlertReport alerts) const
{
    if (is_everything()) {
        return alerts;
    }
    alerts.hooks.clear();
    alerts.dropped = 0;
    limit(alerts.incidents);
    limit(alerts.ended);
    std::erase_if(alerts.silences, [this](const SilenceStatus& silence) {
        return silence.library.empty() || !includes(silence.library);
    });
    return alerts;
}

}  // namespace shelfd::control
