// The content of a call: a JSON body, a line for a chat, and variables for a program.
#pragma once

#include "base/result.hpp"
#include "control/hooks/incident.hpp"

#include <string>
#include <vector>

namespace shelfd::control {

struct NotificationPlace {
    std::string host;  // this machine
    Instant now;
};

// A JSON object on one line, escaped and of bounded size: at most `max_listed` libraries are named, the rest counted.
// Member `text` is the line for a chat, so that receivers of {"text": …} accept the body unchanged.
inline constexpr std::size_t max_listed = 200;
std::string notification_body(const Announcement& announcement, const NotificationPlace& place);

// "[page] antwerp, ghent: there is no usable token set: …": one line, foreign text escaped.
std::string chat_line(const Announcement& announcement, const NotificationPlace& place);

// "SHELFD_EVENT=opened", …: every text of such a body, or of one for rounds; SHELFD_LIBRARIES,
// SHELFD_JOINED, SHELFD_TABLES and SHELFD_OVER (incidents) with spaces between the names.
// Error: corrupt, if the text is not such a body.
Result<std::vector<std::string>> notification_environment(const std::string& body);

// The announcement of `shelfctl hooks test`.
Announcement test_announcement(const std::string& hook, Instant now);

}  // namespace shelfd::control
