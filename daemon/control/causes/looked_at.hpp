// Whether the daemon has checked since its start what an earlier process found wrong.
#pragma once

#include "control/model/cause.hpp"
#include "control/model/status.hpp"

namespace shelfd::control {

// Pure. Whether this part of a cause that an earlier process saw would show in the status by now, if it were still so:
// passes over the tables have succeeded since, or the token set was refreshed, or no pass is needed to know. A table
// that is no longer there counts as looked at; a library that is not listed does not, because it may still be opened.
bool is_looked_at(const Cause& cause, const Affected& affected, const Status& status);

// Pure. Whether the passes that are due since the start of the library have shown what is wrong with it. Until then a
// token set that the service refuses may seem to work, and tables that it stops seem to advance.
bool has_reported(const LibraryStatus& library, Instant now);

}  // namespace shelfd::control
