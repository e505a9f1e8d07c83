#include "base/words/natural_order.hpp"
#include "ctl/daemon/incidents.hpp"
#include "ctl/mirror/pinning_readers.hpp"
#include "ctl/pages/check_text.hpp"
#include "ctl/pages/status_page.hpp"
#include "ctl/status/problem_list.hpp"
#include "ctl/status/problem_text.hpp"
#include "ctl/status/selection.hpp"
#include "ctl/status/status_text.hpp"
#include "ctl/status/status_view.hpp"
#include "ctl/status/token_text.hpp"
#include "ctl/verb/verbs.hpp"
#include "storage/filesystem.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <utility>
#include <variant>

namespace shelfd::ctl {
namespace {

namespace asio = boost::asio;

constexpr Duration watch_interval = std::chrono::seconds(2);
// Twice the size after a checkpoint: a WAL exceeds it only while a reader pins it, or during a large publication.
constexpr std::uint64_t large_wal = 32U << 20;
// A short read has ended by then.
constexpr Duration long_pinned = std::chrono::minutes(1);

// The status as JSON and as values, for one library if one was named.
struct Fetched {
    std::string json;
    StatusView view;
};

Selection selection_of(const Command& command)
{
    return {command.library, command.resource, command.status.state};
}

Result<Fetched> limit(Fetched fetched, const Selection& selection)
{
    SHELFD_TRY(check_names(fetched.view, selection));
    SHELFD_TRY_ASSIGN(json, select(fetched.json, selection));
    SHELFD_TRY_ASSIGN(view, read_status(json));
    if (selection.resource.empty() && !selection.state) {
        view.headline = control::headline(view);
    }
    return Fetched{std::move(json) + "\n", std::move(view)};
}

bool may_be_pinned(const control::LibraryStatus& library, Instant now)
{
    return library.wal_bytes >= large_wal ||
           (library.wal_pinned_since && now - *library.wal_pinned_since >= long_pinned);
}

struct Pinned {
    std::string library;
    PinningReader reader;
    control::Notice notice;
};

bool is_known_to_daemon(const StatusView& status, const std::string& library, const PinningReader& reader)
{
    const auto is_it = [&](const control::LibraryStatus& one) {
        const auto pid = static_cast<std::uint64_t>(reader.pid);
        return one.name == library &&
               std::find(one.wal_readers.begin(), one.wal_readers.end(), pid) != one.wal_readers.end();
    };
    return std::any_of(status.libraries.begin(), status.libraries.end(), is_it);
}

// The problem of the daemon says then who it is, instead of a second sentence about the same file.
enum class Place { first, further };  // among the readers of the same file

bool complete_problem(StatusView& status, const std::string& library, const PinningReader& reader, Place place)
{
    const auto* command = reader.command.empty() ? "unknown" : reader.command.c_str();
    for (auto& problem : status.problems) {
        for (auto& one : problem.affected) {
            if (problem.kind != control::CauseKind::wal || one.library != library) {
                continue;
            }
            const auto name = fmt::format("process {}", reader.pid);
            if (const auto at = is_known_to_daemon(status, library, reader) ? one.why.find(name) : std::string::npos;
                at != std::string::npos) {
                one.why.insert(at + name.size(), fmt::format(" ({})", command));
                return true;
            }
            one.why += fmt::format("{} {} ({}) stays inside a read transaction",
                                   place == Place::first ? " while" : ", and", name, command);
            one.do_this = fmt::format("end that transaction, or the program: kill {}", reader.pid);
            return true;
        }
    }
    return false;
}

std::string wal_size(std::uint64_t bytes)
{
    return bytes < 1U << 20U ? fmt::format("{} KiB", bytes >> 10U) : fmt::format("{} MiB", bytes >> 20U);
}

// The daemon sees that a WAL grows, but its sandbox hides which process pins it.
std::vector<Pinned> name_pinning_readers(const StatusView& status)
{
    std::vector<Pinned> found;
    for (const auto& library : status.libraries) {
        if (!may_be_pinned(library, status.now)) {
            continue;
        }
        const auto since = library.wal_pinned_since
                               ? fmt::format(", for {}", describe_duration(status.now - *library.wal_pinned_since))
                               : "";
        for (const auto& reader : find_pinning_readers(library.mirror, static_cast<pid_t>(status.pid))) {
            found.push_back({library.name,
                             reader,
                             {fmt::format("the WAL of {} has {} and cannot be emptied{} while process {} "
                                          "({}) stays inside a read transaction",
                                          library.name, wal_size(library.wal_bytes), since, reader.pid,
                                          reader.command.empty() ? "unknown" : reader.command),
                              fmt::format("end that transaction, or the program: kill {}", reader.pid), std::nullopt}});
        }
    }
    return found;
}

// Errors are those of the daemon or about the way to it.
struct FetchError {
    Error error;
    bool is_without_daemon = false;
};

using FetchResult = std::variant<Fetched, FetchError>;

FetchResult fetch(const Context& context)
{
    const auto answer = client_of(context).get("/v1/status");
    if (!answer) {
        return FetchError{answer.error(), true};
    }
    if (const auto checked = answer->check(); !checked) {
        return FetchError{checked.error()};
    }
    auto view = read_status(answer->body);
    if (!view) {
        return FetchError{view.error()};
    }
    Result<Fetched> fetched = Fetched{answer->body, std::move(*view)};
    if (const auto selection = selection_of(context.command); !selection.is_all()) {
        fetched = limit(std::move(*fetched), selection);
    }
    if (!fetched) {
        return FetchError{fetched.error()};
    }
    std::vector<control::Notice> notices;
    std::string last;
    for (auto& one : name_pinning_readers(fetched->view)) {
        notices.push_back(one.notice);
        const auto place = std::exchange(last, one.library) == one.library ? Place::further : Place::first;
        if (!complete_problem(fetched->view, one.library, one.reader, place)) {
            fetched->view.notices.push_back(std::move(one.notice));
        }
    }
    if (!notices.empty()) {
        if (auto json = add_notices(fetched->json, notices)) {
            fetched->json = std::move(*json) + "\n";
        }
    }
    auto& libraries = fetched->view.libraries;
    std::stable_sort(libraries.begin(), libraries.end(),
                     [](const auto& a, const auto& b) { return natural_less(a.name, b.name); });
    return std::move(*fetched);
}

ExitCode complain(const Context& context, const FetchError& failure)
{
    return failure.is_without_daemon ? fail_without_daemon(context, failure.error) : fail(context, failure.error);
}

// A reader that pins a WAL may be known to shelfctl only.
ExitCode code_of(const StatusView& status)
{
    const bool asks = std::any_of(status.notices.begin(), status.notices.end(),
                                  [](const auto& notice) { return !notice.do_this.empty(); });
    return std::max(control::exit_code(status), asks ? ExitCode::failed : ExitCode::done);
}

void sleep(Clock& clock, Duration duration)
{
    asio::io_context loop(1);
    auto ended = [](const std::exception_ptr&) {};
    asio::co_spawn(loop, clock.sleep_for(duration), std::move(ended));
    loop.run();
}

ExitCode show_check(const Context& context)
{
    const auto result = fetch(context);
    if (const auto* failure = std::get_if<FetchError>(&result)) {
        context.terminal.print(check_unknown(failure->error.text()));
        return ExitCode::no_daemon;
    }
    const auto& status = std::get<Fetched>(result).view;
    const auto code = code_of(status);
    context.terminal.print(check_text(status, code));
    return code;
}

ExitCode show_problem(const Context& context, const Fetched& fetched)
{
    const auto& id = context.command.status.problem;
    const auto problems = problems_named(fetched.view, id);
    if (problems.empty()) {
        const auto alerts = client_of(context).get("/v1/alerts");
        if (const auto ended = alerts && alerts->check() ? find_ended(alerts->body, id) : std::nullopt) {
            context.terminal.print(context.command.output == Output::json ? "[]\n" : "it is over: " + *ended + "\n");
            return ExitCode::done;
        }
        return fail(context,
                    Error(ErrorKind::not_found,
                          fmt::format("there is no problem {} now: it is over, or shelfctl status lists another "
                                      "one; shelfctl hooks list shows open incidents",
                                      id)));
    }
    if (context.command.output == Output::json) {
        const auto selected = select_problems(fetched.json, id);
        context.terminal.print_json(selected ? *selected + "\n" : "[]\n");
    } else {
        context.terminal.print(problem_text(problems, fetched.view.now, context.terminal));
    }
    return ExitCode::done;
}

ExitCode write_page(const Context& context, const StatusView& status)
{
    const auto& file = context.command.status.page;
    const auto page = status_page(status);
    if (file == "-") {
        context.terminal.print_exact(page);
        return code_of(status);
    }
    if (const auto written =
            storage::replace_file(file, page, {.mode = 0644, .replacers = storage::Replacers::several});
        !written) {
        return fail_to_write(context, written.error(), "shelfctl status --html FILE");
    }
    return code_of(status);
}

enum class Round { first, further };

ExitCode show_once(const Context& context, Round round)
{
    const auto result = fetch(context);
    if (const auto* failure = std::get_if<FetchError>(&result)) {
        const bool goes_on = context.command.status.watch && round == Round::further && failure->is_without_daemon;
        if (goes_on) {
            context.terminal.redraw(StyledText(fmt::format("the daemon does not answer, tried every {}: {}\n",
                                                           describe_duration(watch_interval), failure->error.text())));
            return ExitCode::no_daemon;
        }
        return complain(context, *failure);
    }
    const auto& fetched = std::get<Fetched>(result);
    const auto& command = context.command;
    if (!command.status.problem.empty()) {
        return show_problem(context, fetched);
    }
    const auto code = code_of(fetched.view);
    if (command.output == Output::json) {
        context.terminal.print_json(fetched.json);
        return code;
    }
    if (!command.status.page.empty()) {
        return write_page(context, fetched.view);
    }
    if (command.status.state && fetched.view.libraries.empty()) {
        context.terminal.print(fmt::format("no table is in the state {}\n", spaced(to_string(*command.status.state))));
        return code;
    }
    const auto detail = command.all || !selection_of(command).is_all() ? Detail::tables : Detail::trouble;
    const auto text = status_text(fetched.view, detail, context.terminal);
    command.status.watch ? context.terminal.redraw(text) : context.terminal.print(text);
    return code;
}

}  // namespace

ExitCode run_status(const Context& context)
{
    if (context.command.status.as_check) {
        return show_check(context);
    }
    auto code = show_once(context, Round::first);
    const auto is_seen = [](ExitCode one) {
        return one == ExitCode::done || one == ExitCode::failed || one == ExitCode::needs_person;
    };
    // A daemon that was seen once comes back, after an upgrade for example.
    const bool was_seen = is_seen(code);
    while (context.command.status.watch && (is_seen(code) || (was_seen && code == ExitCode::no_daemon))) {
        sleep(context.clock, watch_interval);
        code = show_once(context, Round::further);
    }
    return code;
}

ExitCode run_auth_status(const Context& context)
{
    const auto result = fetch(context);
    if (const auto* failure = std::get_if<FetchError>(&result)) {
        return complain(context, *failure);
    }
    const auto& fetched = std::get<Fetched>(result);
    if (context.command.output == Output::json) {
        context.terminal.print_json(fetched.json);
    } else {
        const auto in_lines = context.command.all;
        context.terminal.print(in_lines ? token_table(fetched.view, context.terminal)
                                        : token_text(fetched.view, context.terminal));
    }
    const auto& libraries = fetched.view.libraries;
    const bool needed =
        std::any_of(libraries.begin(), libraries.end(), [](const auto& library) { return library.token.needs_person; });
    return needed ? ExitCode::needs_person : ExitCode::done;
}

}  // namespace shelfd::ctl
