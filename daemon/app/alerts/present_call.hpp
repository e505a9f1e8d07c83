// What a call says when it is made for the first time: the present state of its incident.
#pragma once

#include "app/alerts/alert_store.hpp"
#include "control/hooks/notification.hpp"

#include <string>
#include <vector>

namespace shelfd::app {

// Renders `call`, which waited, anew, in the queue, too. Calls that were tried, and those for what is over or was
// published, keep what they say. False if nothing is left to be said: what joined an incident has left it meanwhile.
// Then the call is withdrawn.
bool bring_up_to_date(AlertStore& store, const control::HookRule& rule, const control::NotificationPlace& place,
                      control::PendingCall& call);

// What is delivered for calls that are made as one.
std::string body_of(const std::vector<control::PendingCall>& calls);

}  // namespace shelfd::app
