#include "app/daemon.hpp"

#include "app/alerts/alert_operations.hpp"
#include "app/host/machine_id.hpp"
#include "app/library/retired_mirrors.hpp"
#include "app/operations/operations.hpp"
#include "app/report/status_report.hpp"
#include "base/version.hpp"
#include "runtime/async/caught.hpp"
#include "storage/sqlite.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <unistd.h>
#include <utility>

namespace shelfd::app {
namespace {

// Lanes whose blocking work goes on at once: on a small server two compute while two wait for a disk. More only queue.
constexpr std::size_t worker_threads = 4;

// No token waits for them, and no journal for a command that tells a secret.
constexpr std::size_t token_threads = 2;
constexpr std::size_t secret_threads = 2;

// Pages of all mirrors that SQLite keeps in memory: those of twelve mirrors with their whole cache. With 40 libraries
// that are loaded at once less took no more CPU than twenty times as much (measured).
constexpr std::uint64_t sqlite_bytes = 24U << 20U;

// A loop whose handlers throw so often does not come to its end.
constexpr std::size_t max_thrown = 100;

}  // namespace

Daemon::Daemon(Options options, config::Configuration configuration, Surroundings surroundings, DaemonLog log)
    : options_(std::move(options)), surroundings_(std::move(surroundings)), configuration_(std::move(configuration)),
      wanted_(share(std::exchange(configuration_.libraries, {}))), whole_log_(std::move(log)),
      service_manager_(surroundings_.notify_socket), workers_(options_.mode == Mode::once ? 0 : worker_threads),
      token_workers_(options_.mode == Mode::once ? 0 : token_threads),
      secret_workers_(options_.mode == Mode::once ? 0 : secret_threads), random_(std::random_device{}()),
      tasks_(loop_.get_executor(), [this](const auto& task, const auto& error) { fail(task, error); }),
      signals_(loop_.get_executor(), [this](const auto& task, const auto& error) { fail(task, error); })
{
}

Daemon::~Daemon() = default;

ExitCode Daemon::run()
{
    storage::Database::limit_memory(sqlite_bytes);
    auto code = ExitCode::bug;
    auto ended = [this, &code](const std::exception_ptr& error, ExitCode value) {
        if (error) {
            fail("the stop", error);
        }
        code = value;
        loop_.stop();
    };
    auto life = live();
    asio::co_spawn(loop_, std::move(life), std::move(ended));
    for (std::size_t thrown = 0; thrown < max_thrown; ++thrown) {
        try {
            loop_.run();
            break;
        } catch (...) {  // by a handler that is no task; the others go on
            fail("a handler", std::current_exception());
        }
    }
    return failed_ ? ExitCode::bug : code;
}

// The rest of the daemon may be sound: what has to be saved is saved, and then it ends.
void Daemon::fail(const std::string& task, const std::exception_ptr& error)
{
    log_.error(fmt::format("bug: {}: {}: the daemon ends once token exchanges under way have landed; please send a bug "
                           "report with this log",
                           task, describe_exception(error)));
    failed_ = true;
    ask_to_stop();
}

void Daemon::ask_to_stop()
{
    stop_wanted_ = true;
    stop_asked_.notify_all();
}

asio::awaitable<ExitCode> Daemon::live()
{
    auto code = ExitCode::bug;
    try {
        code = co_await open_and_serve();
    } catch (...) {
        fail("the daemon", std::current_exception());
    }
    co_await stop();
    co_return code;
}

asio::awaitable<ExitCode> Daemon::open_and_serve()
{
    started_ = config_loaded_ = clock_.now();
    std::optional<Result<void>> outcome;
    auto opening = [&]() -> asio::awaitable<void> { outcome.emplace(co_await open()); };
    auto work = opening();
    co_await service_manager_.extend_while(clock_, std::move(work));
    auto opened = std::move(*outcome);
    auto code = ExitCode::success;
    if (!opened) {
        code = exit_code_of(opened.error());
    } else if (opened = open_control(); !opened) {
        // Whoever answers there has other storage: no second one of us, for which 75 stands.
        const bool taken = opened.error().kind() == ErrorKind::busy;
        code = taken ? ExitCode::socket_taken : exit_code_of(opened.error());
    }
    if (!opened) {
        log_.error(opened.error().text());
        co_return code;
    }
    if (options_.mode == Mode::once) {
        co_return co_await run_once();
    }
    co_return co_await serve();
}

asio::awaitable<Result<void>> Daemon::open()
{
    SHELFD_CO_TRY_ASSIGN(locked, lock_storage(configuration_.storage));
    locks_ = std::move(locked);
    if (!locks_.trouble.empty()) {
        log_.error(locks_.trouble);
    }
    bad_secrets_ = find_bad_secrets(wanted_, surroundings_.credentials_directory, started_);
    SHELFD_CO_TRY(check_secrets(bad_secrets_, wanted_.size()));
    for (const auto& bad : bad_secrets_) {
        log_.error(fmt::format("{}: {}", bad.notice.text, bad.notice.do_this));
    }
    SHELFD_CO_TRY_ASSIGN(client, http::CurlClient::open(loop_.get_executor(), fmt::format("shelfd/{}", version)));
    client_ = std::move(client);
    auto random = [this] { return std::uniform_real_distribution<double>(0, 1)(random_); };
    auto notify = [this] { changed_.notify_all(); };
    auto machine_id = configuration_.storage.machine_id;
    parts_.emplace(DaemonServices{.executor = loop_.get_executor(),
                                  .clock = clock_,
                                  .client = *client_,
                                  .workers = workers_,
                                  .token_workers = token_workers_,
                                  .secret_workers = secret_workers_,
                                  .log = log_,
                                  .random = random,
                                  .storage = configuration_.storage,
                                  .machine_id = machine_id.empty() ? read_machine_id() : machine_id,
                                  .boot_id = read_boot_id(),
                                  .credentials_directory = surroundings_.credentials_directory,
                                  .changed = notify,
                                  // Under systemd the runtime directory: it outlives the process.
                                  .refuge = std::filesystem::path(configuration_.control.socket).parent_path(),
                                  .limiters = {},
                                  .exchange_gates = {},
                                  .other_holder = [this](const std::string& library, const std::string& fingerprint) {
                                      return libraries_->holder_of(fingerprint, library);
                                  }});
    libraries_.emplace(*parts_);
    HookServices calls{clock_, *client_, secret_workers_.lane(), surroundings_.credentials_directory};
    Alerts::Services alerting{std::move(calls), workers_.lane(), log_, random, [this] { return status(); }, tasks_,
                              read_host_name()};
    alerts_ = std::make_unique<Alerts>(std::move(alerting), configuration_.storage.mirrors + "/.hooks");
    alerts_->replace(configuration_.hooks);
    // From here on a signal may not end the process in the middle of something.
    signals_.spawn(watch_signals(), "signals");
    SHELFD_CO_TRY(co_await libraries_->open(wanted_));
    co_await retire_unowned(*parts_, wanted_);
    co_return Result<void>();
}

Result<void> Daemon::open_control()
{
    if (options_.mode == Mode::once) {
        return {};  // nobody would be answered in time, and a running shelfctl would think that a daemon serves
    }
    const control::ServerSettings settings{configuration_.control.socket, configuration_.control.readers,
                                           configuration_.control.admins};
    SHELFD_TRY_ASSIGN(server, control::Server::open(loop_.get_executor(), clock_, log_, settings, operations()));
    control_ = std::move(server);
    for (const auto& warning : control_->warnings()) {
        log_.warning(warning);
        notices_.push_back({warning, "", started_});
    }
    return {};
}

asio::awaitable<ExitCode> Daemon::serve()
{
    if (stop_wanted_) {
        co_return ExitCode::success;
    }
    serving_ = true;
    libraries_->start();
    tasks_.spawn(service_manager_.keep_watchdog_fed(clock_), "the watchdog");
    tasks_.spawn(control_->run(), "the control socket");
    tasks_.spawn(keep_status_sentence(), "the status sentence");
    tasks_.spawn(tend_idle_libraries(), "the care of idle libraries");
    tasks_.spawn(parts_->directories.run(), "the watch of directories");
    tasks_.spawn(bring_back(), "the return of libraries");
    tasks_.spawn(alerts_->run(), "alerts");
    log_.info(fmt::format("shelfd {} serves {} libraries from {}", version, wanted_.size(), options_.config_file));
    service_manager_.ready(headline(status()));
    co_await until_stop_asked();
    co_return ExitCode::success;
}

asio::awaitable<void> Daemon::until_stop_asked()
{
    while (!stop_wanted_) {
        co_await stop_asked_.wait();
    }
}

asio::awaitable<ExitCode> Daemon::run_once()
{
    using namespace asio::experimental::awaitable_operators;
    service_manager_.ready("running every schedule once");
    auto passes = [this]() -> asio::awaitable<bool> {
        for (const auto& unit : libraries_->units()) {
            co_await unit->run_once();
        }
        co_return true;
    };
    auto work = caught(passes());
    auto stop_asked = until_stop_asked();
    auto first = co_await (std::move(work) || std::move(stop_asked));
    if (first.index() == 0) {
        std::get<0>(first).take();
    }
    const auto now = status();
    log_.info(headline(now));
    const auto& units = libraries_->units();
    const bool has_bug = std::any_of(units.begin(), units.end(), [](const auto& unit) { return unit->bug(); });
    co_return has_bug ? ExitCode::bug : static_cast<ExitCode>(control::exit_code(now));
}

asio::awaitable<void> Daemon::watch_signals()
{
    for (const int number : {SIGTERM, SIGINT, SIGHUP}) {
        caught_signals_.add(number);
    }
    for (;;) {
        const int number = co_await caught_signals_.async_wait(asio::use_awaitable);
        const char* name = number == SIGHUP ? "SIGHUP" : number == SIGTERM ? "SIGTERM" : "SIGINT";
        if (stop_wanted_) {
            // Left to the kernel, a second one would end us between the answer to a refresh and its fsync.
            log_.info(fmt::format("{}: already stopping; token exchanges under way are waited for", name));
        } else if (number != SIGHUP) {
            log_.info(fmt::format("stopping: {}", name));
            ask_to_stop();
        } else if (serving_) {
            tasks_.spawn(reload_by_signal(), "a reload");
        } else {
            log_.warning("SIGHUP: nothing to reload, since the daemon does not serve");
        }
    }
}

// One sentence for `systemctl status`, at most one a second however fast pages arrive.
asio::awaitable<void> Daemon::keep_status_sentence()
{
    for (;;) {
        service_manager_.status(headline(status()));
        co_await changed_.wait();
        co_await clock_.sleep_for(std::chrono::seconds(1));
    }
}

asio::awaitable<void> Daemon::stop()
{
    stop_wanted_ = true;
    service_manager_.stopping();
    auto ending = end_tasks();
    co_await service_manager_.extend_while(clock_, std::move(ending));
    signals_.cancel();
    co_await signals_.join();
    workers_.join();
    token_workers_.join();
    secret_workers_.join();
}

asio::awaitable<void> Daemon::end_tasks()
{
    tasks_.cancel();
    co_await tasks_.join();
    control_.reset();
    if (libraries_) {
        co_await libraries_->stop();
    }
}

control::Status Daemon::status() const
{
    control::Status status;
    status.version = version;
    status.pid = getpid();
    status.now = clock_.now();
    status.started = started_;
    status.config_file = options_.config_file;
    status.config_loaded = config_loaded_;
    status.notices = notices_;
    for (const auto& bad : bad_secrets_) {
        status.notices.push_back(bad.notice);
    }
    if (refused_reload_) {
        status.notices.push_back(*refused_reload_);
    }
    for (const auto& [library, why] : libraries_->absent()) {
        status.absent.push_back(library);
        status.notices.push_back({fmt::format("{} does not run: {}", library, why),
                                  fmt::format("mend that: it is tried again every {} seconds",
                                              std::chrono::floor<std::chrono::seconds>(between_openings).count()),
                                  std::nullopt});
    }
    for (auto& notice : report_limiters(*parts_, status.now)) {
        status.notices.push_back(std::move(notice));
    }
    for (const auto& unit : libraries_->units()) {
        status.libraries.push_back(report_library(*unit, status.now));
    }
    return status;
}

control::Operations Daemon::operations()
{
    auto now = [this] { return status(); };
    auto reload_all = [this] { return reload(); };
    auto names = [this] { return configuration_.resource_names; };
    auto all = make_operations(*libraries_, changed_, std::move(now), std::move(reload_all), std::move(names));
    add_alert_operations(all, *alerts_);
    return all;
}

}  // namespace shelfd::app
