#include "app/alerts/present_call.hpp"

#include "control/hooks/joined_ends.hpp"
#include "control/hooks/round_call.hpp"

namespace shelfd::app {

control::PendingCall call_for(const control::Announcement& announcement, const control::NotificationPlace& place)
{
    control::PendingCall call;
    call.hook = announcement.hook;
    call.incident = announcement.incident.id;
    call.event = announcement.event;
    call.severity = announcement.incident.cause.severity;
    call.body = notification_body(announcement, place);
    return call;
}

control::PendingCall call_for(const std::string& hook, const control::LibraryRounds& rounds,
                              const control::NotificationPlace& place)
{
    control::PendingCall call;
    call.hook = hook;
    call.incident = control::rounds_name(rounds.library);
    call.event = control::CallEvent::published;
    call.body = rounds_body(hook, rounds, place);
    return call;
}

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
