#include "app/daemon.hpp"

#include "app/host/exit_code.hpp"
#include "app/host/machine_id.hpp"
#include "app/host/secret_trial.hpp"
#include "app/late_lock.hpp"
#include "app/operations/socket_groups.hpp"
#include "app/report/once_report.hpp"
#include "app/upkeep.hpp"
#include "base/version.hpp"
#include "base/words/log_command.hpp"
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

// Lanes that block at once: on a small server two compute while two wait for a disk. More would only queue.
constexpr std::size_t worker_threads = 4;
// Separate, so that tokens do not wait for mirrors, nor journals for a command that prints a secret.
constexpr std::size_t token_threads = 2;
constexpr std::size_t secret_threads = 2;

// After so many exceptions from handlers, the loop is taken to be broken.
constexpr std::size_t max_thrown = 100;

}  // namespace

Threads::Threads(Mode mode)
    : mirrors(mode == Mode::once ? 0 : worker_threads), tokens(mode == Mode::once ? 0 : token_threads),
      secrets(mode == Mode::once ? 0 : secret_threads)
{
}

void Threads::join()
{
    mirrors.join();
    tokens.join();
    secrets.join();
}

Daemon::Daemon(Options options, config::Configuration configuration, Surroundings surroundings, DaemonLog log)
    : options_(std::move(options)), surroundings_(std::move(surroundings)),
      configuration_(options_.config_file, surroundings_.environment, std::move(configuration), clock_.now()),
      whole_log_(std::move(log)), service_manager_(surroundings_.notify_socket), threads_(options_.mode),
      random_(std::random_device{}()),
      tasks_(loop_.get_executor(), [this](const auto& task, const auto& error) { fail(task, error); }),
      signals_(loop_.get_executor(), [this](const auto& task, const auto& error) { fail(task, error); })
{
}

Daemon::~Daemon() = default;

ExitCode Daemon::run()
{
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
        } catch (...) {  // from a handler that is not a task; others continue
            fail("a handler", std::current_exception());
        }
    }
    return stage_.has_failed() ? ExitCode::bug : code;
}

// The rest of the daemon may work: it saves what must be saved, then ends.
void Daemon::fail(const std::string& task, const std::exception_ptr& error)
{
    log_.error(fmt::format("bug: {}: {}: the daemon exits after completing token exchanges in progress; please send a "
                           "bug report with this log",
                           task, describe_exception(error)));
    stage_.fail();
    ask_to_stop();
}

void Daemon::ask_to_stop()
{
    stage_.stop();
    if (reloader_) {
        reloader_->close();
    }
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
    std::optional<Result<void>> outcome;
    auto opening = [&]() -> asio::awaitable<void> { outcome.emplace(co_await open()); };
    auto work = opening();
    co_await service_manager_.extend_while(clock_, std::move(work));
    auto opened = std::move(*outcome);
    auto code = ExitCode::done;
    if (!opened) {
        code = exit_code_of(opened.error());
    } else if (opened = open_control(); !opened) {
        // The program there has other storage: it is not a second daemon on this one, for which exit code 75 stands.
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
    const auto& libraries = configuration_.libraries();
    SHELFD_CO_TRY_ASSIGN(locked, lock_storage_in_place(configuration_.settings().storage, log_));
    locks_ = std::move(locked);
    auto bad_secrets = find_bad_secrets(libraries, surroundings_.credentials_directory, configuration_.loaded_at());
    SHELFD_CO_TRY(check_secrets(bad_secrets, libraries.size()));
    for (const auto& bad : bad_secrets) {
        log_.error(fmt::format("{}: {}", bad.notice.text, bad.notice.do_this));
    }
    configuration_.record_bad_secrets(std::move(bad_secrets));
    SHELFD_CO_TRY_ASSIGN(client, http::CurlClient::open(loop_.get_executor(), fmt::format("shelfd/{}", version)));
    client_ = std::move(client);
    services_.emplace(make_services());
    libraries_.emplace(*services_);
    reloader_.emplace(*services_, configuration_, *libraries_, whole_log_, surroundings_.journal_stream,
                      reload_listeners());
    report_.emplace(*services_, configuration_, *libraries_, configuration_.loaded_at());
    alerts_.emplace(make_alert_services(), services_->alert_directory());
    alerts_->replace(configuration_.settings().hooks, configuration_.libraries());
    operations_.emplace(*libraries_, changed_, configuration_, *reloader_, *report_, *alerts_);
    control::ScrapeSource source{[this] { return operations_->status(); }, [this] { return operations_->alerts(); },
                                 services_->host.journal};
    metrics_.emplace(*services_, std::move(source), configuration_.settings().control);
    report_->add_notices([this] { return metrics_->notices(); });
    report_->add_notices([this] { return reloader_->notices(); });
    report_->ask_former_names([this] { return reloader_->former_names(); });
    // From here on a signal must not end the process halfway.
    signals_.spawn(watch_signals(), "signals");
    co_return co_await reloader_->open_libraries();
}

DaemonServices Daemon::make_services()
{
    const auto& settings = configuration_.settings();
    const auto& machine_id = settings.storage.machine_id;
    return {
        .executor = loop_.get_executor(),
        .clock = clock_,
        .client = *client_,
        .workers = {threads_.mirrors, threads_.tokens, threads_.secrets},
        .log = log_,
        .random = [this] { return std::uniform_real_distribution<double>(0, 1)(random_); },
        .storage = settings.storage,
        .host = {.machine_id = machine_id.empty() ? read_machine_id() : machine_id,
                 .boot_id = read_boot_id(surroundings_.environment),
                 .credentials_directory = surroundings_.credentials_directory,
                 // Under systemd the runtime directory, which outlives the process.
                 .refuge = std::filesystem::path(settings.control.socket).parent_path(),
                 .journal = journal_command(settings.control.socket)},
        .changed =
            [this] {
                ++services_->changes;
                changed_.notify_all();
            },
        .other_holder = [this](const std::string& library,
                               const std::string& fingerprint) { return libraries_->holder_of(fingerprint, library); },
        .records = locks_.has_mirrors ? settings.storage.mirrors : ""};
}

Alerts::Services Daemon::make_alert_services()
{
    return {.calls = {clock_, *client_, threads_.secrets.lane(), surroundings_.credentials_directory},
            .disk = threads_.mirrors.lane(),
            .log = log_,
            .random = services_->random,
            .status = [this] { return report_->status(); },
            .tasks = tasks_,
            .host = read_host_name()};
}

Reloader::Listeners Daemon::reload_listeners()
{
    return {.begins = [this] { service_manager_.reloading(); },
            .hooks = [this](const auto& hooks, const auto& libraries) { return alerts_->replace(hooks, libraries); },
            .listen = [this](const config::Control& control) { return metrics_->replace(control); },
            .rights = [this] { return renew_rights(control_.get()); },
            .ended =
                [this] {
                    service_manager_.ready(headline(report_->status()));
                    services_->changed();
                },
            .failed = [this](const std::string& task, const std::exception_ptr& error) { fail(task, error); }};
}

Result<void> Daemon::open_control()
{
    if (options_.mode == Mode::once) {
        return {};  // answers would be slow, and shelfctl would take this process for a serving daemon
    }
    const auto& control = configuration_.settings().control;
    const control::ServerSettings settings{control.socket, control.readers, control.admins, threads_.secrets.lane()};
    SHELFD_TRY_ASSIGN(server, control::Server::open(loop_.get_executor(), clock_, log_, settings, *operations_));
    control_ = std::move(server);
    for (const auto& warning : control_->warnings()) {
        log_.warning(warning);
    }
    report_->add_notices([this, since = clock_.now()] { return notices_of(*control_, since); });
    return {};
}

asio::awaitable<ExitCode> Daemon::serve()
{
    if (stage_.is_stopping()) {
        co_return ExitCode::done;
    }
    stage_.serve();
    libraries_->start();
    tasks_.spawn(service_manager_.keep_watchdog_fed(clock_), "the watchdog");
    tasks_.spawn(lock_mirrors_later(locks_, *services_), "the lock of all mirrors");
    tasks_.spawn(control_->run(), "the control socket");
    tasks_.spawn(metrics_->run(), "control.listen");
    tasks_.spawn(keep_status_sentence(), "the status line");
    start_upkeep(tasks_, *services_, *libraries_, *alerts_);
    tasks_.spawn(reloader_->bring_back(), "the restart of libraries");
    tasks_.spawn(reloader_->keep_readers(), "the readers of libraries");
    tasks_.spawn(reloader_->keep_limits(), "the limits of libraries");
    tasks_.spawn(alerts_->run(), "alerts");
    const auto libraries = configuration_.libraries().size();
    log_.info(fmt::format("shelfd {} serves {} librar{} from {}", version, libraries, libraries == 1 ? "y" : "ies",
                          options_.config_file));
    service_manager_.ready(headline(report_->status()));
    co_await stage_.until_stop();
    co_return ExitCode::done;
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
    auto stop_asked = stage_.until_stop();
    auto first = co_await (std::move(work) || std::move(stop_asked));
    if (first.index() == 0) {
        std::get<0>(first).take();
    }
    const auto now = report_->status();
    log_.info(headline(now));
    co_return exit_code_of_run(now, libraries_->units());
}

asio::awaitable<void> Daemon::watch_signals()
{
    for (const int number : {SIGTERM, SIGINT, SIGHUP}) {
        caught_signals_.add(number);
    }
    for (;;) {
        const int number = co_await caught_signals_.async_wait(asio::use_awaitable);
        const char* name = number == SIGHUP ? "SIGHUP" : number == SIGTERM ? "SIGTERM" : "SIGINT";
        if (stage_.is_stopping()) {
            // By default a second signal would end the process between the answer to a refresh and its fsync.
            log_.info(fmt::format("{}: already stopping; completing token exchanges in progress first", name));
        } else if (number != SIGHUP) {
            log_.info(fmt::format("stopping: {}", name));
            ask_to_stop();
        } else if (options_.mode == Mode::once) {
            log_.warning("SIGHUP ignored: with --once there is nothing to reload");
        } else {
            tasks_.spawn(reload_by_signal(), "a reload");
        }
    }
}

asio::awaitable<void> Daemon::reload_by_signal()
{
    if (co_await stage_.until_serving()) {
        [[maybe_unused]] const auto logged = co_await reloader_->reload();
    }
}

// One sentence for `systemctl status`, at most once a second however fast pages arrive.
asio::awaitable<void> Daemon::keep_status_sentence()
{
    for (;;) {
        service_manager_.status(headline(report_->status()));
        co_await changed_.wait();
        co_await clock_.sleep_for(std::chrono::seconds(1));
    }
}

asio::awaitable<void> Daemon::stop()
{
    ask_to_stop();
    service_manager_.stopping();
    auto ending = end_tasks();
    co_await service_manager_.extend_while(clock_, std::move(ending));
    signals_.cancel();
    co_await signals_.join();
    threads_.join();
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

}  // namespace shelfd::app
