#include "control/causes/daemon_cause.hpp"

#include <algorithm>
#include <utility>

namespace shelfd::control {

std::vector<Finding> find_daemon_causes(const Status& status)
{
    std::vector<Finding> found;
    for (const auto& library : status.absent) {
        Finding one{CauseKind::not_running, library};
        one.library = library;
        one.why = "it could not be opened";
        one.do_this = "shelfctl status says why";
        const auto notice = std::find_if(status.notices.begin(), status.notices.end(),
                                         [&](const Notice& each) { return each.absent == library; });
        if (notice != status.notices.end()) {
            // The cause names the library beside the sentence.
            const auto prefix = library + " is not running: ";
            one.why = notice->text.starts_with(prefix) ? notice->text.substr(prefix.size()) : notice->text;
            one.do_this = notice->do_this;
            one.next = notice->next;
            one.since = notice->since;
        }
        found.push_back(std::move(one));
    }
    for (const auto& notice : status.notices) {
        // Notices without advice need nobody, and a library that does not run has its own cause.
        if (notice.do_this.empty() || !notice.absent.empty()) {
            continue;
        }
        Finding one{CauseKind::daemon, notice.text.substr(0, 80)};
        one.why = notice.text;
        one.do_this = notice.do_this;
        one.next = notice.next;
        one.since = notice.since;
        found.push_back(std::move(one));
    }
    return found;
}

}  // namespace shelfd::control
