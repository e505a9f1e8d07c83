// Makes one call of a hook: runs its program, or posts to its address.
#pragma once

#include "config/model/model.hpp"
#include "http/client.hpp"
#include "runtime/async/clock.hpp"
#include "runtime/async/worker_pool.hpp"

#include <memory>
#include <optional>
#include <string>

namespace shelfd::app {

struct CallOutcome {
    enum class Kind {
        accepted,  // exit code 0, or any 2xx
        failed,    // tried again
        refused,   // by a 3xx, or a 4xx other than 408, 425 and 429; see CallQueue::max_refusals
    };
    Kind kind = Kind::failed;
    std::string why = {};               // one sentence without a secret
    std::optional<Duration> wait = {};  // for which the receiver asked us to wait
};

struct HookServices {
    Clock& clock;
    http::Client& client;
    Lane lane;  // for files, commands that print secrets, and programs of hooks
    std::string credentials_directory;
};

// Loop only. Takes at most the hook's `timeout`, besides the time to fetch its secrets, or to kill its program.
asio::awaitable<CallOutcome> call_hook(HookServices services, std::shared_ptr<const config::Hook> hook,
                                       std::string body);

// "/usr/bin/mail", "chat.example.com": what it calls, without the parts of an address that may be secret.
std::string target_of(const config::Hook& hook);

}  // namespace shelfd::app
