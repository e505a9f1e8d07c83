// What the control socket may ask for, carried out on the running libraries.
#pragma once

#include "app/library/library_set.hpp"
#include "app/operations/inquiry_operations.hpp"
#include "control/model/operations.hpp"
#include "runtime/async/async_event.hpp"

#include <functional>

namespace shelfd::app {

using StatusSource = std::function<control::Status()>;
using Reload = std::function<asio::awaitable<Result<control::ReloadReport>>()>;

// `libraries` and `changed` outlive the operations.
control::Operations make_operations(LibrarySet& libraries, AsyncEvent& changed, StatusSource status, Reload reload,
                                    NameSource names);

}  // namespace shelfd::app
