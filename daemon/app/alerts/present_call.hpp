// What a call says when it is made for the first time: the present state of its incident.
#pragma once

#include "app/alerts/alert_store.hpp"
#include "control/hooks/notification.hpp"
#include "control/hooks/round_watch.hpp"

#include <string>
#include <vector>

namespace shelfd::app {

// A new call, as it is said now.
control::PendingCall call_for(const control::Announcement& announcement, const control::NotificationPlace& place);
control::PendingCall call_for(const std::string& hook, const control::LibraryRounds& rounds,
                              const control::NotificationPlace& place);

// Renders a call that has waited again, also in the queue. Calls that were tried, and those about an end or about
// published rows, keep their text. False if nothing is left to say, because what joined an incident has left it: then
// the call is withdrawn.
bool bring_up_to_date(AlertStore& store, const control::HookRule& rule, const control::NotificationPlace& place,
                      control::PendingCall& call);

// What is delivered for calls that are made as one.
std::string body_of(const std::vector<control::PendingCall>& calls);

}  // namespace shelfd::app
