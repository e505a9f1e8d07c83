// What the passes of configured lists cost in requests, for forecasts and for the comparison with a limit; pure.
#pragma once

#include "config/model/model.hpp"

#include <cstddef>

namespace shelfd::config {

double passes_a_minute(const Schedule& schedule);

// Of one full pass over `lists` lists of `rows` rows in all, as long as each other: a second look at page 1 follows
// several pages. A list that each answer holds whole takes one.
double full_pass_requests(const Library& library, const Resource& resource, double rows, double lists);

// Passes a minute of a library, without details.
struct PassRates {
    double whole = 0;        // full passes, and those over windows
    double incremental = 0;  // for changes; those of lists by parent count as `whole`
    double walks = 0;        // of all of them: one for each list or window
    std::size_t polled = 0;  // lists with passes for changes
};

// How often its canary is asked, at most, while few passes bring new rows. Passes of a token set that is bound to the
// library ask after the last new row, adjacent ones together; those without new rows use an answer that is some minutes
// old, but each list with passes for changes asks once a week after its walk (PassRun in sync). With a personal token,
// every walk asks before and after.
double canaries_a_minute(const PassRates& rates, bool is_personal);

}  // namespace shelfd::config
