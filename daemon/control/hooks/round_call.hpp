// The body of a call for published rounds, and how a waiting one is joined with later rounds.
#pragma once

#include "control/hooks/notification.hpp"
#include "control/hooks/round_watch.hpp"

#include <string>

namespace shelfd::control {

// A JSON object on one line, with a line for people as `text`.
std::string rounds_body(const std::string& hook, const LibraryRounds& rounds, const NotificationPlace& place);

// Two bodies of the same hook and library as one: the sums of their counts, the positions from before the first to
// after the last. `later` alone if `earlier` is not such a body.
std::string join_rounds(const std::string& earlier, const std::string& later);

// The position of the feed before the first round of that body; "" if it is not known.
std::string position_before(const std::string& body);

// The name under which the queue keeps these calls of a library, in place of an incident's id; and back.
std::string rounds_name(const std::string& library);
std::string library_of_rounds(const std::string& name);

}  // namespace shelfd::control
