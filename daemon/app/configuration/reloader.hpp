// Applies the configuration to what runs: reloads, completely or not at all, and libraries that can run again.
#pragma once

#include "app/configuration/effective_configuration.hpp"
#include "app/host/log_settings.hpp"
#include "app/library/library_set.hpp"
#include "app/services/daemon_services.hpp"
#include "control/model/operations.hpp"
#include "runtime/async/async_event.hpp"

#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::app {

// Loop only. One change at a time. All references must outlive this object.
class Reloader {
public:
    struct Listeners {
        std::function<void()> begins;  // a reload
        // Takes the hooks that are configured now; returns a line for each change. Empty: there are no hooks.
        std::function<std::vector<std::string>(const std::vector<config::Hook>&)> hooks = {};
        // The same for the settings of control.listen.
        std::function<std::vector<std::string>(const config::Control&)> listen = {};
        std::function<void()> ended;  // it took effect or was refused
        // A reload ended with an exception, which is a bug.
        std::function<void(const std::string& task, const std::exception_ptr&)> failed;
    };

    // `journal_stream`: $JOURNAL_STREAM.
    Reloader(DaemonServices& services, EffectiveConfiguration& configuration, LibrarySet& libraries, DaemonLog& log,
             std::string journal_stream, Listeners listeners)
        : services_(services), configuration_(configuration), libraries_(libraries), log_(log),
          journal_stream_(std::move(journal_stream)), listeners_(std::move(listeners))
    {
    }

    // Continues to its end if the caller is cancelled. On an error the running configuration stays.
    asio::awaitable<Result<control::ReloadReport>> reload();
    // Until cancelled: opens libraries that could not be opened, and restarts those stopped by a bug.
    asio::awaitable<void> bring_back();
    // The daemon stops: no further change begins.
    void close() { is_closed_ = true; }

private:
    asio::awaitable<void> reload_shielded(std::optional<Result<control::ReloadReport>>& report);
    asio::awaitable<Result<control::ReloadReport>> reload_in_turn();
    asio::awaitable<void> bring_back_shielded();

    DaemonServices& services_;
    EffectiveConfiguration& configuration_;
    LibrarySet& libraries_;
    DaemonLog& log_;
    const std::string journal_stream_;
    Listeners listeners_;
    AsyncMutex turn_;
    bool is_closed_ = false;
};

}  // namespace shelfd::app
