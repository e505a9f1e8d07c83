#include "ctl/doctor/machine_checks.hpp"

#include "base/words/log_command.hpp"
#include "config/model/open_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace shelfd::ctl {
namespace {

constexpr Duration noticeable = std::chrono::minutes(2);
constexpr Duration large_error = std::chrono::hours(1);
constexpr const char* set_clock = "sudo timedatectl set-ntp true";

// The newest of all mirrors.
std::optional<Instant> newest_run(const Facts& facts)
{
    std::optional<Instant> newest;
    for (const auto& mirror : facts.mirrors) {
        if (mirror.newest_run && (!newest || *mirror.newest_run > *newest)) {
            newest = mirror.newest_run;
        }
    }
    return newest;
}

// The smallest of all mirrors: one service with a wrong clock does not make this one wrong.
std::optional<Duration> clock_error(const Facts& facts)
{
    std::optional<Duration> smallest;
    for (const auto& mirror : facts.mirrors) {
        const auto& error = mirror.clock_error;
        if (error && (!smallest || std::chrono::abs(*error) < std::chrono::abs(*smallest))) {
            smallest = error;
        }
    }
    return smallest;
}

// 3.40.1 -> 3'040'001
int sqlite_number(const std::string& text)
{
    constexpr int base = 1000;
    int number = 0;
    const char* at = text.data();
    const char* const end = text.data() + text.size();
    for (int part = 0; part < 3; ++part) {
        int value = 0;
        const auto read = std::from_chars(at, end, value);
        number = number * base + value;
        at = read.ptr == end ? end : read.ptr + 1;
    }
    return number;
}

bool is_below(const std::string& path, const std::string& directory)
{
    return !directory.empty() && (path == directory || path.starts_with(directory + "/"));
}

}  // namespace

Findings check_clock(const Facts& facts, int built_in)
{
    Findings findings;
    const auto add = [&](Verdict verdict, std::string text, const char* do_this) {
        findings.push_back({"clock", verdict, std::move(text), do_this, false});
    };
    const auto now = facts.now.to_short_text();
    int year = 0;
    constexpr std::size_t digits = 4;
    std::from_chars(now.data(), now.data() + digits, year);
    if (year < built_in) {
        add(Verdict::fault,
            fmt::format("this machine's clock shows {}, but this program was built in {}", now, built_in), set_clock);
    }
    const auto run = newest_run(facts);
    if (run && facts.now + noticeable < *run) {
        add(Verdict::fault,
            fmt::format("this machine's clock shows {}, but a pass has ended at {} by the same clock", now,
                        run->to_short_text()),
            set_clock);
    }
    if (const auto error = clock_error(facts); error && std::chrono::abs(*error) > noticeable) {
        add(std::chrono::abs(*error) > large_error ? Verdict::fault : Verdict::warning,
            fmt::format("in the last passes this machine's clock was {} {} that of the service",
                        describe_duration(std::chrono::abs(*error)), *error > Duration(0) ? "ahead of" : "behind"),
            set_clock);
    }
    const auto& synchronised = facts.system.clock_synchronised;
    if (!synchronised) {
        add(Verdict::unknown, "the kernel does not say whether the clock is synchronised", "");
    } else if (!*synchronised) {
        add(Verdict::advice, "the clock is not synchronised with a time server", set_clock);
    }
    if (findings.empty()) {
        add(Verdict::ok, "synchronised", "");
    }
    return findings;
}

Findings check_limits(const Facts& facts)
{
    Findings findings;
    for (const auto& [text, do_this] : facts.daemon.parted_limits) {
        const auto cure = do_this.empty() ? "correct that in the configuration, then: shelfctl reload" : do_this;
        findings.push_back({"limits", Verdict::warning, text, cure, false});
    }
    const auto* model = facts.configuration();
    if (model == nullptr) {
        return findings;
    }
    const auto libraries = static_cast<std::uint64_t>(model->libraries.size());
    const auto needed = config::open_files_needed(model->libraries.size()) + config::open_files_of_clients;
    if (facts.daemon.open_files && *facts.daemon.open_files < needed) {
        const bool by_hand = facts.system.of_user && facts.system.unit.empty();
        const auto cure = by_hand ? fmt::format("ulimit -n {}, then {}", needed, facts.restart_command())
                                  : fmt::format("{} edit {}: [Service] LimitNOFILE={}, then restart",
                                                facts.system.of_user ? "systemctl --user" : "sudo systemctl",
                                                unit_of(facts.socket), needed);
        findings.push_back({"limits", Verdict::warning,
                            fmt::format("the daemon may open {} files; with {} libraries it may need {}",
                                        *facts.daemon.open_files, libraries, needed),
                            cure, false});
    }
    const auto& system = facts.system;
    if (system.max_watches != 0 && system.max_watches < libraries + 1) {
        findings.push_back({"limits", Verdict::warning,
                            fmt::format("a user may watch {} directories (fs.inotify.max_user_watches); the daemon "
                                        "needs {}, one for each mirror and one more",
                                        system.max_watches, libraries),
                            fmt::format("sudo sysctl fs.inotify.max_user_watches={}", (libraries + 1) * 2), false});
    }
    if (system.max_instances == 1) {
        findings.push_back({"limits", Verdict::warning, "a user may have one inotify instance only",
                            "sudo sysctl fs.inotify.max_user_instances=128", false});
    }
    if (findings.empty()) {
        findings.push_back({"limits", Verdict::ok,
                            fmt::format("{} {} into the limits of open files and watches", libraries,
                                        libraries == 1 ? "library fits" : "libraries fit"),
                            "", false});
    }
    return findings;
}

Findings check_versions(const Facts& facts, std::string_view own)
{
    Findings findings;
    const auto add = [&](Verdict verdict, std::string text, std::string do_this) {
        findings.push_back({"versions", verdict, std::move(text), std::move(do_this), false});
    };
    const auto& daemon = facts.daemon;
    const auto& installed = facts.system.program_version;
    const auto restart =
        facts.system.of_user ? facts.restart_command() : "sudo systemctl daemon-reload && " + facts.restart_command();
    if (daemon.program_replaced) {
        add(Verdict::warning, "the program of the running daemon was replaced or removed since it started", restart);
    }
    if (daemon.answers && !installed.empty() && daemon.version != installed) {
        add(Verdict::warning,
            fmt::format("the daemon that runs has version {}, the installed one {} ({})", daemon.version, installed,
                        facts.system.program),
            restart);
    } else if (daemon.answers && daemon.version != own) {
        add(Verdict::warning, fmt::format("the daemon that runs has version {}, shelfctl {}", daemon.version, own),
            restart);
    }
    if (!installed.empty() && installed != own) {
        add(Verdict::warning, fmt::format("{} has version {}, shelfctl {}", facts.system.program, installed, own),
            "install both from the same build");
    }
    if (findings.empty()) {
        add(Verdict::ok, fmt::format("{}", own), "");
    }
    return findings;
}

Findings check_daemon(const Facts& facts)
{
    const auto& daemon = facts.daemon;
    if (!daemon.answers) {
        return {{"daemon", daemon.refused ? Verdict::unknown : Verdict::warning, daemon.trouble,
                 daemon.refused ? "sudo shelfctl doctor" : "", false}};
    }
    Findings findings;
    if (!daemon.absent.empty()) {
        findings.push_back({"daemon", Verdict::fault,
                            fmt::format("configured, but not running: {}", fmt::join(daemon.absent, ", ")),
                            "shelfctl status", false});
    }
    if (!daemon.needs_person.empty()) {
        findings.push_back(
            {"daemon", Verdict::fault,
             fmt::format("a person must act for the token set of {}", fmt::join(daemon.needs_person, ", ")),
             "shelfctl auth status", false});
    }
    if (findings.empty()) {
        findings.push_back(
            {"daemon", Verdict::ok, fmt::format("process {} answers on {}", daemon.pid, facts.socket), "", false});
    }
    return findings;
}

Findings check_system(const Facts& facts)
{
    Findings findings;
    const auto& system = facts.system;
    // Two connections that write may corrupt the file (fixed in 3.51.3).
    constexpr int first_safe = 3'051'003;
    const auto note = !system.sqlite.empty() && sqlite_number(system.sqlite) < first_safe
                          ? "; this version has the WAL-reset bug, which needs two connections that write: shelfd has "
                            "one, and other programs must open mirrors read-only"
                          : "";
    findings.push_back(
        {"system", Verdict::ok, fmt::format("{}, SQLite {}{}", system.kernel, system.sqlite, note), "", false});
    if (!system.zones) {
        findings.push_back({"time zones", Verdict::fault,
                            fmt::format("there is no timezone database in {}", system.zones_path),
                            "sudo apt-get install tzdata", false});
    } else {
        findings.push_back({"time zones", Verdict::ok, system.zones_path, "", false});
    }
    if (system.machine_id_hidden) {
        findings.push_back(
            {"machine id", Verdict::unknown, "not permitted to read it: run as root", "sudo shelfctl doctor", false});
    } else if (system.machine_id.empty()) {
        findings.push_back({"machine id", Verdict::advice,
                            "this machine has none, so token sets are not bound to it: a copied token store is "
                            "recognised by its files only",
                            "sudo systemd-machine-id-setup, or set storage.machine_id", false});
    } else {
        findings.push_back({"machine id", Verdict::ok, "token sets are bound to this machine", "", false});
    }
    return findings;
}

Findings check_unit(const Facts& facts)
{
    Findings findings;
    const auto& system = facts.system;
    const auto* model = facts.configuration();
    if (!system.systemd || system.unit.empty() || model == nullptr) {
        return findings;
    }
    const auto& storage = model->storage;
    for (const auto& [key, path] : {std::pair("mirrors", storage.mirrors), std::pair("tokens", storage.tokens),
                                    std::pair("tokens_copy", storage.tokens_copy)}) {
        // A unit of a user closes no directory to the daemon.
        const bool covered = path.empty() || system.of_user ||
                             std::any_of(system.writable.begin(), system.writable.end(),
                                         [&place = path](const auto& one) { return is_below(place, one); });
        if (!covered) {
            findings.push_back({"unit", Verdict::warning,
                                fmt::format("neither {} nor a drop-in lets the daemon write to {} (storage.{})",
                                            system.unit, path, key),
                                fmt::format("sudo systemctl edit {}: [Service] ReadWritePaths={}, then restart",
                                            unit_of(facts.socket), path),
                                false});
        }
    }
    if (findings.empty()) {
        findings.push_back({"unit", Verdict::ok,
                            system.drop_ins.empty()
                                ? system.unit
                                : fmt::format("{}, changed by {}", system.unit, fmt::join(system.drop_ins, ", ")),
                            "", false});
    }
    return findings;
}

}  // namespace shelfd::ctl
