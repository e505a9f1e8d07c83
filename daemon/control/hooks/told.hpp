// What the calls of a hook have said of an incident, and what they have not said yet: the news.
#pragma once

#include "control/model/cause.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace shelfd::control {

struct Told {
    Instant at;                          // of the last call
    Severity severity = Severity::info;  // at the last call
    // Libraries and tables that calls have named, and when each was affected last.
    std::map<std::string, Instant> members = {};
    std::set<std::string> reasons = {};             // kinds of reasons and cures that calls have named
    std::uint32_t changes = 0;                      // calls for news in a row
    std::optional<Instant> accepted = {};           // the last call that the hook accepted
    std::map<std::string, Instant> deadlines = {};  // by library, at the last call

    // News that no call has said yet; they begin anew after a restart.
    std::size_t news = 0;
    std::optional<Instant> news_since = {};
    std::optional<Instant> news_grew = {};
};

// The part of the cause that no call has said: libraries and tables that joined, and those whose reason or cure is of
// another kind. Where the cause lies at the service or the token set, the tables of a library are no news.
std::vector<Affected> news_in(const Cause& cause, const Told& told);

// By library, of those that have one.
std::map<std::string, Instant> deadlines_of(const Cause& cause);

// Records a call that says all of the cause.
void tell(Told& told, const Cause& cause, Instant now);

// Notes what is affected now, and what of it is news. A library or table that was not affected for an hour is news when
// it comes back.
void note_news(Told& told, const Cause& cause, const std::vector<Affected>& news, Instant now);

// Whether the news are announced now: nothing has joined for a minute, or they are five minutes old; and after each
// such call at least five minutes pass, then ten, up to an hour; an hour without news, and it begins anew.
bool is_time_for_news(const Told& told, Instant now);

}  // namespace shelfd::control
