// Finds a library by name and keeps it in use while an operation runs.
#pragma once

#include "app/library/library_set.hpp"
#include "control/model/actor.hpp"

#include <functional>
#include <string>
#include <type_traits>
#include <utility>

namespace shelfd::app {

// The library of that name, kept open while the result exists. Errors: not_found, with the existing names; needs_person
// for one that is configured but does not run; busy for one that is being opened again.
Result<LibraryUnit::Use> use_library(const LibrarySet& libraries, const std::string& name);

mirror::ActRecord begin_act(LibraryUnit& unit, const control::Actor& actor, std::string resource);
asio::awaitable<void> end_act(LibraryUnit& unit, mirror::ActRecord act);

// Records what somebody did to several libraries in `_runs` of those that run and are `concerned`; `error` says why it
// was not done, "" = done.
asio::awaitable<void> record_where(const LibrarySet& libraries, std::function<bool(const LibraryUnit&)> concerned,
                                   control::Actor actor, std::string error);

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

// The table that a request is about; "" = the whole library.
template <typename Request>
std::string table_of(const Request& request)
{
    if constexpr (requires { request.resource; }) {
        return request.resource;
    } else {
        return "";
    }
}

// The same for what a person does to the library: it stands in `_runs` with verb and user, done or not.
template <typename Request, typename Act>
auto act_on_library(const LibrarySet& libraries, Request request, Act act)
    -> std::invoke_result_t<Act&, LibraryUnit&, Request>
{
    SHELFD_CO_TRY_ASSIGN(unit, use_library(libraries, library_of(request)));
    auto record = begin_act(*unit, request.actor, table_of(request));
    auto acting = act(*unit, std::move(request));
    auto outcome = co_await std::move(acting);
    record.error = outcome ? "" : outcome.error().text();
    auto ending = end_act(*unit, std::move(record));
    co_await std::move(ending);
    co_return outcome;
}

}  // namespace shelfd::app
