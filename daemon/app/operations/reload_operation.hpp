// A reload that a person asked for, by itself or by a command that has written the configuration.
#pragma once

#include "app/configuration/reloader.hpp"
#include "app/library/library_set.hpp"
#include "control/model/operations.hpp"

namespace shelfd::app {

// Reloads, and records a command such as `library pause` in `_runs` of its library, done or not, if the library runs;
// and the reload in those of the other libraries that it has added or opened again.
// Errors: those of the reload.
asio::awaitable<Result<control::ReloadReport>> reload_for(LibrarySet& libraries, Reloader& reloader,
                                                          control::ReloadRequest request);

}  // namespace shelfd::app
