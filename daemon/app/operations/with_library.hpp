// A library by its name, held in use until what is done with it has ended.
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

// What `act` makes of the request to the library that it names: Result<…>. Errors, too: as use_library.
template <typename Request, typename Act>
auto with_library(const LibrarySet& libraries, Request request, Act act)
    -> std::invoke_result_t<Act&, LibraryUnit&, Request>
{
    SHELFD_CO_TRY_ASSIGN(unit, use_library(libraries, library_of(request)));
    auto acting = act(*unit, std::move(request));
    co_return co_await std::move(acting);
}

}  // namespace shelfd::app
