// Consumers of published rounds: how far they are, and those that do not accept them, which is a cause like any other.
#pragma once

#include "control/hooks/call_queue.hpp"
#include "control/hooks/hook_rule.hpp"
#include "control/hooks/round_watch.hpp"
#include "control/model/alerts.hpp"
#include "control/model/cause.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::app {

// Empty unless the oldest call for rounds of that hook was tried twice. `trouble`: why the last call was not
// accepted.
std::optional<control::Cause> find_lag(const std::string& hook, const control::CallQueue& queue,
                                       const std::string& trouble);

// Those of all hooks.
std::vector<control::Cause> find_lags(const std::vector<control::HookStatus>& hooks, const control::CallQueue& queue);

// A hook that is called after rounds of a library.
struct Consumer {
    std::string hook;
    std::string position;  // of the feed, up to which its calls were accepted; "" = not known
    std::uint64_t waiting = 0;
    std::optional<Instant> waiting_since;
    std::string why;  // the last call was not accepted; "" = it was

    friend bool operator==(const Consumer&, const Consumer&) = default;
};

using Consumers = std::map<std::string, std::vector<Consumer>>;  // by library

// The libraries are those of `announced`, which has the position up to which rounds of each were announced.
Consumers find_consumers(const std::vector<control::HookRule>& rules, const std::vector<control::HookStatus>& hooks,
                         const control::CallQueue& queue, const control::RoundWatch::Known& announced);

}  // namespace shelfd::app
