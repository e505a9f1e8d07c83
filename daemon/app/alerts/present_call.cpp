#include "app/alerts/present_call.hpp"

#include "control/hooks/joined_ends.hpp"

namespace shelfd::app {

bool bring_up_to_date(AlertStore& store, const control::HookRule& rule, const control::NotificationPlace& place,
                      control::PendingCall& call)
{
    using control::CallEvent;
    if (call.tries > 0 || call.event == CallEvent::recovered || call.event == CallEvent::published) {
        return true;
    }
    const auto present = store.book.tell(rule, call.incident, call.event, place.now);
    if (!present) {
        return true;  // an event that does not last, or an incident of which only the call is left
    }
    if (call.event == CallEvent::changed && present->news.empty()) {
        store.queue.withdraw(call.number);
        store.touch();
        return false;
    }
    call.body = notification_body(*present, place);
    call.severity = present->incident.cause.severity;
    store.queue.render(call.number, call.body, call.severity);
    return true;
}

std::string body_of(const std::vector<control::PendingCall>& calls)
{
    std::vector<std::string> bodies;
    for (const auto& call : calls) {
        bodies.push_back(call.body);
    }
    return bodies.size() == 1 ? bodies.front() : control::join_ends(bodies);
}

}  // namespace shelfd::app
