// Finds a library by name and keeps it in use while an operation runs.
#pragma once

#include "app/library/library_set.hpp"

#include <string>
#include <type_traits>
#include <utility>

namespace shelfd::app {

inline const std::string& library_of(const std::string& request)
{
    return request;
}

template <typename Request>
const std::string& library_of(const Request& request)
{
    return request.library;
}

// Returns the result of `act` on the library named by the request, a Result<…>. Errors: also those of use_library.
template <typename Request, typename Act>
auto with_library(const LibrarySet& libraries, Request request, Act act)
    -> std::invoke_result_t<Act&, LibraryUnit&, Request>
{
    SHELFD_CO_TRY_ASSIGN(unit, use_library(libraries, library_of(request)));
    auto acting = act(*unit, std::move(request));
    co_return co_await std::move(acting);
}

}  // namespace shelfd::app
