#include "control/model/unknown_names.hpp"
#include "ctl/mirror/pinning_readers.hpp"
#include "ctl/status/status_text.hpp"
#include "ctl/status/status_view.hpp"
#include "ctl/status/token_text.hpp"
#include "ctl/verb/verbs.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <fmt/core.h>

#include <algorithm>

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

std::vector<std::string> names_of(const StatusView& status)
{
    std::vector<std::string> names;
    for (const auto& library : status.libraries) {
        names.push_back(library.name);
    }
    return names;
}

Result<Fetched> limit(Fetched fetched, const std::string& library)
{
    const auto& absent = fetched.view.absent;
    if (std::find(absent.begin(), absent.end(), library) != absent.end()) {
        return Error(ErrorKind::needs_person,
                     fmt::format("{} is configured but not running; shelfctl status shows why", library));
    }
    const auto all = names_of(fetched.view);
    std::erase_if(fetched.view.libraries, [&](const auto& one) { return one.name != library; });
    if (fetched.view.libraries.empty()) {
        return control::unknown_library(library, all);
    }
    SHELFD_TRY_ASSIGN(json, limit_to_library(fetched.json, library));
    fetched.json = std::move(json) + "\n";
    fetched.view.headline.clear();
    fetched.view.notices.clear();
    return fetched;
}

bool may_be_pinned(const control::LibraryStatus& library, Instant now)
{
    return library.wal_bytes >= large_wal ||
           (library.wal_pinned_since && now - *library.wal_pinned_since >= long_pinned);
}

// The daemon sees that a WAL grows, but its sandbox hides which process pins it.
std::vector<control::Notice> name_pinning_readers(const StatusView& status)
{
    std::vector<control::Notice> notices;
    for (const auto& library : status.libraries) {
        if (!may_be_pinned(library, status.now)) {
            continue;
        }
        const auto since = library.wal_pinned_since
                               ? fmt::format(", for {}", describe_duration(status.now - *library.wal_pinned_since))
                               : "";
        for (const auto& reader : find_pinning_readers(library.mirror, static_cast<pid_t>(status.pid))) {
            notices.push_back({fmt::format("the WAL of {} is {} MiB large and cannot be emptied{} while process {} "
                                           "({}) stays inside a read transaction",
                                           library.name, library.wal_bytes >> 20U, since, reader.pid,
                                           reader.command.empty() ? "unknown" : reader.command),
                               fmt::format("end that transaction, or the program: kill {}", reader.pid), std::nullopt});
        }
    }
    return notices;
}

// Empty if an error was printed; `code` is then the exit code.
std::optional<Fetched> fetch(const Context& context, ExitCode& code)
{
    const auto answer = client_of(context).get("/v1/status");
    if (!answer) {
        code = fail_without_daemon(context, answer.error());
        return std::nullopt;
    }
    if (const auto checked = answer->check(); !checked) {
        code = fail(context, checked.error());
        return std::nullopt;
    }
    auto view = read_status(answer->body);
    if (!view) {
        code = fail(context, view.error());
        return std::nullopt;
    }
    Result<Fetched> fetched = Fetched{answer->body, std::move(*view)};
    if (!context.command.library.empty()) {
        fetched = limit(std::move(*fetched), context.command.library);
    }
    if (!fetched) {
        code = fail(context, fetched.error());
        return std::nullopt;
    }
    if (auto notices = name_pinning_readers(fetched->view); !notices.empty()) {
        if (auto json = add_notices(fetched->json, notices)) {
            fetched->json = std::move(*json) + "\n";
        }
        auto& all = fetched->view.notices;
        all.insert(all.end(), notices.begin(), notices.end());
    }
    code = control::exit_code(fetched->view, context.command.library);
    return std::move(*fetched);
}

void sleep(Clock& clock, Duration duration)
{
    asio::io_context loop(1);
    auto ended = [](const std::exception_ptr&) {};
    asio::co_spawn(loop, clock.sleep_for(duration), std::move(ended));
    loop.run();
}

ExitCode show_once(const Context& context)
{
    auto code = ExitCode::done;
    const auto fetched = fetch(context, code);
    if (!fetched) {
        return code;
    }
    if (context.command.output == Output::json) {
        context.terminal.print_json(fetched->json);
        return code;
    }
    const auto detail = context.command.all || !context.command.library.empty() ? Detail::tables : Detail::libraries;
    if (context.command.watch) {
        context.terminal.clear_screen();
    }
    context.terminal.print(status_text(fetched->view, detail, context.terminal));
    return code;
}

}  // namespace

ExitCode run_status(const Context& context)
{
    auto code = show_once(context);
    while (context.command.watch &&
           (code == ExitCode::done || code == ExitCode::failed || code == ExitCode::needs_person)) {
        sleep(context.clock, watch_interval);
        if (!context.terminal.is_terminal() && context.command.output == Output::text) {
            context.terminal.print("\n");
        }
        code = show_once(context);
    }
    return code;
}

ExitCode run_auth_status(const Context& context)
{
    auto code = ExitCode::done;
    const auto fetched = fetch(context, code);
    if (!fetched) {
        return code;
    }
    if (context.command.output == Output::json) {
        context.terminal.print_json(fetched->json);
    } else {
        const auto in_lines = context.command.all;
        context.terminal.print(in_lines ? token_table(fetched->view, context.terminal)
                                        : token_text(fetched->view, context.terminal));
    }
    const auto& libraries = fetched->view.libraries;
    const bool needed =
        std::any_of(libraries.begin(), libraries.end(), [](const auto& library) { return library.token.needs_person; });
    return needed ? ExitCode::needs_person : ExitCode::done;
}

}  // namespace shelfd::ctl
