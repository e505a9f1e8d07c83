// The life of shelfd: build the parts, run them until a signal, stop them in order.
#pragma once

#include "app/alerts/alerts.hpp"
#include "app/configuration/effective_configuration.hpp"
#include "app/configuration/reloader.hpp"
#include "app/host/log_settings.hpp"
#include "app/host/options.hpp"
#include "app/host/storage_locks.hpp"
#include "app/library/library_set.hpp"
#include "app/operations/library_operations.hpp"
#include "app/report/daemon_report.hpp"
#include "app/services/daemon_services.hpp"
#include "app/services/metrics_listener.hpp"
#include "app/stage.hpp"
#include "base/state/exit_code.hpp"
#include "config/load.hpp"
#include "control/server/server.hpp"
#include "http/curl/curl_client.hpp"
#include "runtime/async/async_event.hpp"
#include "runtime/async/task_group.hpp"
#include "runtime/service_manager.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include <memory>
#include <optional>
#include <random>
#include <string>

namespace shelfd::app {

// What the process was started with, besides its files. Read once, in main.
struct Surroundings {
    config::Environment environment;
    std::string credentials_directory;  // $CREDENTIALS_DIRECTORY
    std::string notify_socket;          // $NOTIFY_SOCKET
    std::string journal_stream;         // $JOURNAL_STREAM
};

// The daemon's threads for blocking work; with --once there are none, and the loop does it.
struct Threads {
    explicit Threads(Mode mode);
    void join();

    WorkerPool mirrors;  // SQLite, fsync, JSON of pages
    WorkerPool tokens;   // fsync of token journals
    WorkerPool secrets;  // files and commands that print secrets
};

// One object for each process; `run` once. The constructor throws boost::system::system_error if the process has no
// descriptors or memory for a loop.
class Daemon {
public:
    Daemon(Options options, config::Configuration configuration, Surroundings surroundings, DaemonLog log);
    ~Daemon();

    // Returns when the daemon has stopped in order, or could not start (the log says why). After a bug in one of its
    // own tasks it also stops in order: token exchanges under way are completed first.
    ExitCode run();

private:
    asio::awaitable<ExitCode> live();
    asio::awaitable<ExitCode> open_and_serve();
    asio::awaitable<Result<void>> open();
    Result<void> open_control();
    asio::awaitable<ExitCode> serve();
    asio::awaitable<ExitCode> run_once();
    asio::awaitable<void> watch_signals();
    asio::awaitable<void> reload_by_signal();
    asio::awaitable<void> keep_status_sentence();
    void ask_to_stop();
    void fail(const std::string& task, const std::exception_ptr& error);
    asio::awaitable<void> stop();
    asio::awaitable<void> end_tasks();
    DaemonServices make_services();
    Reloader::Listeners reload_listeners();
    Alerts::Services make_alert_services();

    const Options options_;
    const Surroundings surroundings_;
    SystemClock clock_;
    EffectiveConfiguration configuration_;
    DaemonLog whole_log_;
    Log& log_ = whole_log_.log;

    // In the order of construction; destruction is in reverse.
    asio::io_context loop_{1};  // network and decisions
    // No signals yet; constructed first, because it opens what the loop needs and fails without descriptors.
    asio::signal_set caught_signals_{loop_};
    ServiceManager service_manager_;
    Threads threads_;
    std::mt19937_64 random_;  // jitter only, no secret depends on it
    AsyncEvent changed_;      // the status may have changed
    Stage stage_;
    StorageLocks locks_;  // keep other daemons from these mirrors and tokens
    std::unique_ptr<http::CurlClient> client_;
    std::optional<DaemonServices> services_;
    std::optional<LibrarySet> libraries_;
    std::optional<Reloader> reloader_;
    std::optional<DaemonReport> report_;
    std::optional<Alerts> alerts_;
    std::optional<LibraryOperations> operations_;
    std::unique_ptr<control::Server> control_;
    std::optional<MetricsListener> metrics_;
    TaskGroup tasks_;    // watchdog, status sentence, control socket, reloads by signal
    TaskGroup signals_;  // watched until everything else has ended
};

}  // namespace shelfd::app
