// The /sim/ paths: the verbs of World as JSON over HTTP, for people and for tests in other processes.
//
//   GET  /sim/libraries                 names, ids, client ids, sets, counts of rows
//   GET  /sim/rows?library=&path=       every item of a list, as it is served in the default order
//   GET  /sim/audit                     what was seen; POST /sim/reset-audit forgets it
//   GET  /sim/secrets                   every secret ever issued
//   GET  /sim/set?library=&set=         the newest tokens of a set, as a token response
//   POST /sim/rows                      {"path", "add", "change", "delete", "after_page"}
//   POST /sim/expire                    the access token; the set stays refreshable
//   POST /sim/drop-access-row           the access token's row alone: refreshing answers 500 for good
//   POST /sim/revoke                    the whole set
//   POST /sim/sets                      {"scope"}: a new set; answers like the token endpoint
//   POST /sim/access                    {"active", "denied": [paths], "acts_on": library}: of a set
//   POST /sim/policy                    {"grace", "family_revocation", "expires_in", "rotation", "consent",
//   "redirect_uri"} POST /sim/throttle                  {"limit", "headers", "retry_after"}; no limit: off POST
//   /sim/lists                     {"path", "envelope", "ignores", "count_offset", "next_base", "next_is_self"} POST
//   /sim/faults                    one line of the script (see fault_parser.cpp); DELETE forgets all POST /sim/clock
//   {"advance": seconds}
//
// Where it matters, "library" (default: the first) and "set" (default 0) say whose.
#pragma once

#include "sim/message.hpp"
#include "sim/world.hpp"

#include <string_view>

namespace shelfd::sim {

inline constexpr std::string_view control_root = "/sim/";

// 200 with JSON; 400 with {"error": …} for what cannot be; 404 for another path.
Reply control_answer(World& world, const Request& request);

}  // namespace shelfd::sim
