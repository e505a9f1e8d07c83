// Asks what a ListProbe wants to know, and says what came of it.
#pragma once

#include "sync/inquiry/list_probe.hpp"
#include "sync/library/context.hpp"

#include <boost/asio/awaitable.hpp>

#include <string>
#include <vector>

namespace shelfd::sync {

// At most about ten requests, of those that somebody waits for. Errors: those of the keeper, and a network that answers
// nothing at all.
// `known`: the resource whose list it is, where there is one: its `params` are sent.
asio::awaitable<Result<ListFindings>> probe_list(LibraryContext& context, std::string path,
                                                 const config::Resource* known = nullptr);

// A line for each finding, for people. `per_minute`: the limit.
std::vector<std::string> describe(const ListFindings& findings, std::optional<std::uint32_t> per_minute);

// `[resource.NAME]` as the findings suggest it; "" for a list that could not be read. `known`: the resource whose list
// it is, where there is one, which keeps all that is configured; what it lacks of what was found is added.
std::string to_toml(const ListFindings& findings, const std::string& name, const config::Resource* known = nullptr);

// A name for the list, by the last words of its path: "recipes".
std::string resource_name(const std::string& path);

}  // namespace shelfd::sync
