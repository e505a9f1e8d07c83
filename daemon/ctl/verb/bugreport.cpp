#include "base/regular_file.hpp"
#include "base/words/safe_text.hpp"
#include "ctl/bugreport/bug_report.hpp"
#include "ctl/bugreport/redacted_configuration.hpp"
#include "ctl/daemon/client.hpp"
#include "ctl/survey/survey.hpp"
#include "ctl/verb/verbs.hpp"
#include "storage/filesystem.hpp"
#include "storage/opening.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

namespace shelfd::ctl {
namespace {

constexpr std::size_t log_lines = 300;

// A new file that only this user may read.
Result<void> write_new_file(const std::string& path, std::string_view text)
{
    const auto file = open_regular_file(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
    if (!file && file.error().system_errno == EEXIST) {
        return Error(ErrorKind::usage,
                     fmt::format("{} is there already; name another file: shelfctl bugreport FILE", path));
    }
    if (!file) {
        return storage::cannot_open(path, file.error());
    }
    if (!write_all(*file, text, 0)) {
        const auto error = storage::errno_error("cannot write " + path, errno);
        ::unlink(path.c_str());
        return error;
    }
    return {};
}

std::string default_name(Instant now)
{
    auto stamp = now.to_short_text();
    std::erase_if(stamp, [](char c) { return c == ':' || c == '-'; });
    return fmt::format("shelfd-bugreport-{}.txt", stamp);
}

}  // namespace

ExitCode run_bugreport(const Context& context)
{
    const auto& options = context.command.care;
    const auto facts = survey(context);
    const auto redactor = make_redactor(facts.configuration(), options.with_hosts ? Hosts::kept : Hosts::numbered);
    ReportSources sources;
    sources.log.lines = log_lines;
    if (const auto answer = client_of(context).get("/v1/status"); answer && answer->check()) {
        sources.status = answer->body;
    }
    const auto text = escape_text(bug_report(facts, sources, redactor));
    if (options.report_file == "-") {
        context.terminal.print(text);
        return ExitCode::done;
    }
    const auto path = options.report_file.empty() ? default_name(facts.now) : options.report_file;
    if (const auto written = write_new_file(path, text); !written) {
        return fail_to_write(context, written.error(), "shelfctl bugreport FILE");
    }
    if (context.command.output == Output::json) {
        context.terminal.print_json(fmt::format("{{\"file\":{},\"bytes\":{}}}\n", json_string(path), text.size()));
    } else {
        context.terminal.print(
            fmt::format("{} was written, {} bytes; read it before you send it\n", path, text.size()));
    }
    return ExitCode::done;
}

}  // namespace shelfd::ctl
