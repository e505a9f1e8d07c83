// The life of shelfd on one screen: build the parts, run them until a signal, stop them in order.
#pragma once

#include "app/alerts/alerts.hpp"
#include "app/host/exit_code.hpp"
#include "app/host/log_settings.hpp"
#include "app/host/options.hpp"
#include "app/host/secret_trial.hpp"
#include "app/host/storage_locks.hpp"
#include "app/library/daemon_services.hpp"
#include "app/library/library_set.hpp"
#include "config/load.hpp"
#include "control/server/server.hpp"
#include "http/curl_client.hpp"
#include "runtime/async/async_event.hpp"
#include "runtime/async/task_group.hpp"
#include "runtime/service_manager.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace shelfd::app {

// What the process was started with and no file says. Read once, in main.
struct Surroundings {
    config::Environment environment;
    std::string credentials_directory;  // $CREDENTIALS_DIRECTORY
    std::string notify_socket;          // $NOTIFY_SOCKET
    std::string journal_stream;         // $JOURNAL_STREAM
};

// One object a process; `run` once. The constructor throws boost::system::system_error when the process has no
// descriptors or memory for a loop.
class Daemon {
public:
    Daemon(Options options, config::Configuration configuration, Surroundings surroundings, DaemonLog log);
    ~Daemon();

    // Returns when the daemon has stopped in order, or could not start (then it said why). After a bug in a task of its
    // own it stops in order, too: token exchanges under way land first.
    ExitCode run();

private:
    // Of a library that a refused reload has left without its mirror or its token set.
    static constexpr Duration between_openings = std::chrono::seconds(20);

    asio::awaitable<ExitCode> live();
    asio::awaitable<ExitCode> open_and_serve();
    asio::awaitable<Result<void>> open();
    Result<void> open_control();
    asio::awaitable<ExitCode> serve();
    asio::awaitable<ExitCode> run_once();
    asio::awaitable<void> watch_signals();
    asio::awaitable<void> keep_status_sentence();
    asio::awaitable<void> tend_idle_libraries();
    asio::awaitable<void> until_stop_asked();
    void ask_to_stop();
    void fail(const std::string& task, const std::exception_ptr& error);
    asio::awaitable<void> stop();
    asio::awaitable<void> end_tasks();

    // daemon_reload.cpp
    asio::awaitable<Result<control::ReloadReport>> reload();
    asio::awaitable<void> reload_shielded(std::optional<Result<control::ReloadReport>>& report);
    asio::awaitable<Result<control::ReloadReport>> reload_in_turn();
    asio::awaitable<Result<control::ReloadReport>> reload_now();
    asio::awaitable<void> reload_by_signal();
    asio::awaitable<void> bring_back();
    asio::awaitable<void> bring_back_shielded();
    control::Status status() const;
    control::Operations operations();

    const Options options_;
    const Surroundings surroundings_;
    config::Configuration configuration_;  // but for its libraries
    config::Libraries wanted_;
    DaemonLog whole_log_;
    Log& log_ = whole_log_.log;

    // In the order of birth; destruction runs it backwards.
    asio::io_context loop_{1};  // network and decisions
    // None yet; made first, it opens what the loop needs, so that a process without descriptors fails here alone.
    asio::signal_set caught_signals_{loop_};
    SystemClock clock_;
    ServiceManager service_manager_;
    WorkerPool workers_;         // SQLite, fsync, JSON of pages
    WorkerPool token_workers_;   // fsync of token journals
    WorkerPool secret_workers_;  // files and commands that tell secrets
    std::mt19937_64 random_;     // jitter only; nothing secret hangs on it
    AsyncEvent changed_;         // something people are told has changed
    AsyncEvent stop_asked_;
    AsyncMutex reloading_;  // one reload at a time
    StorageLocks locks_;    // nobody else writes these mirrors or tokens
    std::unique_ptr<http::CurlClient> client_;
    std::optional<DaemonServices> parts_;
    std::optional<LibrarySet> libraries_;
    std::unique_ptr<Alerts> alerts_;
    std::unique_ptr<control::Server> control_;
    TaskGroup tasks_;    // watchdog, status sentence, control socket, reloads by signal
    TaskGroup signals_;  // watched until everything else has ended
    bool serving_ = false;
    bool stop_wanted_ = false;
    bool failed_ = false;  // a task of the daemon itself, by a bug

    Instant started_;
    Instant config_loaded_;
    std::vector<control::Notice> notices_;  // of the start
    std::vector<BadSecret> bad_secrets_;    // found at the start
    std::optional<control::Notice> refused_reload_;
};

}  // namespace shelfd::app
