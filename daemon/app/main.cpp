#include "app/daemon.hpp"
#include "app/host/exit_code.hpp"
#include "app/host/log_settings.hpp"
#include "app/host/open_files.hpp"
#include "app/host/options.hpp"
#include "app/upgrade/state_check.hpp"
#include "base/version.hpp"
#include "base/words/safe_text.hpp"
#include "config/load.hpp"
#include "config/unknown_readers.hpp"
#include "runtime/process_start.hpp"

#include <boost/system/system_error.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>

#include <malloc.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace shelfd;

namespace {

app::Surroundings read_surroundings()
{
    app::Surroundings surroundings;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string text = *entry;
        if (const auto equals = text.find('='); equals != std::string::npos) {
            surroundings.environment.emplace(text.substr(0, equals), text.substr(equals + 1));
        }
    }
    const auto value_of = [&surroundings](const char* name) {
        const auto found = surroundings.environment.find(name);
        return found == surroundings.environment.end() ? std::string() : found->second;
    };
    surroundings.credentials_directory = value_of("CREDENTIALS_DIRECTORY");
    surroundings.notify_socket = value_of("NOTIFY_SOCKET");
    surroundings.journal_stream = value_of("JOURNAL_STREAM");
    return surroundings;
}

constexpr std::size_t many_libraries = 100;

// Two heaps for all threads: the rows of one list pass through all workers, and with a heap for each of them three
// times as much free memory stays between what is used (measured at the peak of a first load of 1,000,000 rows: 16.9
// MiB of heap, 13.9 with one). With a single heap, workers wait for each other (100 libraries loaded at once: 1.3 times
// the wall; with two as with one each). With many libraries it is the other way round: what the loop keeps for each of
// them lies between what workers free (a thousand idle libraries: 40 MiB with two heaps, 38 with four, and 5 % more at
// the peak of their first loads). Before any other thread begins.
void keep_few_heaps(std::size_t libraries)
{
    mallopt(M_ARENA_MAX, libraries >= many_libraries ? 4 : 2);
}

// Token sets are in this process.
void guard_process()
{
    forbid_core_file(HardLimit::lowered);
    std::signal(SIGPIPE, SIG_IGN);
    // A write beyond RLIMIT_FSIZE must return an error, not end the process.
    std::signal(SIGXFSZ, SIG_IGN);
    umask(0027);
}

// With many libraries malloc's thread caches cost more than they save: the loop reuses memory that it frees for a
// worker, and in the end each library holds pages of every worker's heap (measured with a thousand after their first
// load: 52 MiB, 40 without; a first load takes 2 % longer). glibc reads the setting only when a program begins, so the
// program executes itself again, unless it would not be the same program (run by an explicit loader, or with rights of
// its file) or could not read its configuration twice.
void begin_without_thread_caches(std::size_t libraries, const std::string& config_file, char** arguments)
{
    const bool is_repeatable =
        getauxval(AT_SECURE) == 0 && getauxval(AT_BASE) != 0 && std::filesystem::is_regular_file(config_file);
    if (libraries >= many_libraries && is_repeatable && std::getenv("GLIBC_TUNABLES") == nullptr &&
        setenv("GLIBC_TUNABLES", "glibc.malloc.tcache_count=0", 0) == 0) {
        execv("/proc/self/exe", arguments);  // if it fails, the caches stay
    }
}

// What the daemon itself would begin without.
bool has_unknown_readers(const config::Configuration& configuration)
{
    const auto faults = config::find_unknown_readers(configuration);
    for (const auto& fault : faults) {
        std::fprintf(stderr, "%s\n", escape_line(to_text(fault)).c_str());
    }
    return !faults.empty();
}

// The exit code: whether the output could be written.
ExitCode printed()
{
    const bool is_whole = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
    return is_whole ? ExitCode::done : ExitCode::storage;
}

ExitCode print_state(const config::Configuration& configuration, const app::Options& options)
{
    const auto files = app::check_state(configuration);
    std::printf("%s", (options.as_json ? app::state_as_json(files) : app::state_as_text(files)).c_str());
    const auto written = printed();
    return written == ExitCode::done ? app::exit_code_of(files) : written;
}

ExitCode run(const app::Options& options, char** arguments)
{
    auto surroundings = read_surroundings();
    const bool only_checks = options.mode == app::Mode::check_config;
    auto loaded = config::load(options.config_file, surroundings.environment,
                               only_checks ? config::KeepOrigins::yes : config::KeepOrigins::no,
                               only_checks ? config::Secrets::as_anybody : config::Secrets::not_now);
    if (options.mode == app::Mode::serve && loaded.configuration) {
        begin_without_thread_caches(loaded.configuration->libraries.size(), options.config_file, arguments);
    }
    for (const auto& fault : loaded.faults) {
        std::fprintf(stderr, "%s\n", escape_line(to_text(fault)).c_str());
    }
    for (const auto& warning : loaded.warnings) {
        std::fprintf(stderr, "warning: %s\n", escape_line(to_text(warning)).c_str());
    }
    if (!loaded.configuration) {
        const bool is_of_rights = std::any_of(loaded.faults.begin(), loaded.faults.end(), [](const auto& fault) {
            return fault.kind == config::FaultKind::rights;
        });
        return loaded.met_shortage ? ExitCode::storage : is_of_rights ? ExitCode::permission : ExitCode::config;
    }
    if (only_checks && has_unknown_readers(*loaded.configuration)) {
        return ExitCode::config;
    }
    if (only_checks) {
        std::printf("%s: ok, %zu libraries\n", escape_line(options.config_file).c_str(),
                    loaded.configuration->libraries.size());
        return printed();
    }
    if (options.mode == app::Mode::check_state) {
        return print_state(*loaded.configuration, options);
    }
    keep_few_heaps(loaded.configuration->libraries.size());
    guard_process();
    app::raise_open_files();
    prctl(PR_SET_NAME, "shelfd");  // for ps: otherwise "exe" after the second start
    auto log = app::open_log(loaded.configuration->log, surroundings.journal_stream, options.mode);
    app::Daemon daemon(options, std::move(*loaded.configuration), std::move(surroundings), std::move(log));
    return daemon.run();
}

}  // namespace

int main(int argc, char** argv)
try {
    open_standard_descriptors();
    const auto options = app::parse_options(argc, argv);
    if (!options) {
        std::fprintf(stderr, "shelfd: %s\n", escape_text(options.error().text()).c_str());
        return number_of(ExitCode::usage);
    }
    switch (options->mode) {
    case app::Mode::version: std::printf("shelfd %s\n", version); return number_of(printed());
    case app::Mode::help: std::printf("%s", app::usage_text().c_str()); return number_of(printed());
    case app::Mode::serve:
    case app::Mode::once:
    case app::Mode::check_state:
    case app::Mode::check_config: return number_of(run(*options, argv));
    }
    return number_of(ExitCode::bug);
} catch (const boost::system::system_error& error) {
    // The loop could not be created.
    const auto text = fmt::format("shelfd: cannot start: {}; raise its limit of open files (LimitNOFILE=, ulimit -n)\n",
                                  error.what());
    std::fputs(text.c_str(), stderr);
    return number_of(ExitCode::storage);
} catch (const std::exception& error) {
    std::fprintf(stderr, "shelfd: bug: %s\n", escape_line(error.what()).c_str());
    return number_of(ExitCode::bug);
}
