// Sends the requests of a ListProbe and describes its findings.
#pragma once

#include "sync/inquiry/list_probe.hpp"
#include "sync/library/context.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace shelfd::sync {

// For one list; with those for the windows of a ledger.
inline constexpr std::uint32_t max_probe_requests = 16;

// Sends about ten requests, `max_probe_requests` at most, with Purpose::interactive. `known`: the configured resource
// of the list, if any; its `params` are sent. Errors: those of the keeper, and of a network without any answer,
// or without one three times in a row (Inquiry::gave_up).
asio::awaitable<Result<ListFindings>> probe_list(LibraryContext& context, std::string path,
                                                 const config::Resource* known = nullptr);

// One line for each finding. `per_minute`: the request limit.
std::vector<std::string> describe(const ListFindings& findings, std::optional<std::uint32_t> per_minute);

// Whether the list has rows, and none of their members is known as a key.
bool needs_key(const ListFindings& findings);

// Whether the list has rows, and none of their members is known as a key.
bool needs_key(const ListFindings& findings);

// `[resource.NAME]` as the findings suggest; "" if the list could not be read. `known`: the configured resource of the
// list, if any; its settings are kept and completed.
std::string to_toml(const ListFindings& findings, const std::string& name, const config::Resource* known = nullptr);

}  // namespace shelfd::sync
