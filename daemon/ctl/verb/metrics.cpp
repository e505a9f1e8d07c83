#include "base/regular_file.hpp"
#include "ctl/daemon/exposition.hpp"
#include "ctl/daemon/report.hpp"
#include "ctl/verb/verbs.hpp"

#include <fmt/core.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace shelfd::ctl {
namespace {

Error cannot_write(const std::string& path)
{
    const int number = errno;
    const auto kind = number == EACCES || number == EPERM ? ErrorKind::permission : ErrorKind::storage;
    return Error(kind, fmt::format("cannot write {}: {}", path, std::strerror(number))).with_errno(number);
}

// A collector that reads at this moment sees the old text or the new one. The name of the new file does not end in
// .prom, so that no collector reads it.
Result<void> replace_file(const std::string& path, const std::string& text)
{
    const auto next = fmt::format("{}.{}.new", path, ::getpid());
    auto file = open_regular_file(next, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0644);
    if (!file) {
        return std::move(file.error()).in("cannot write " + path);
    }
    std::size_t written = 0;
    while (written < text.size()) {
        const auto count = ::write(file->get(), text.data() + written, text.size() - written);
        if (count < 0 && errno != EINTR) {
            break;
        }
        written += count > 0 ? static_cast<std::size_t>(count) : 0;
    }
    // The mode does not depend on the umask: another user reads the file.
    if (written < text.size() || ::fchmod(file->get(), 0644) != 0 || ::fdatasync(file->get()) != 0 ||
        ::rename(next.c_str(), path.c_str()) != 0) {
        auto error = cannot_write(path);
        ::unlink(next.c_str());
        return error;
    }
    return {};
}

}  // namespace

ExitCode run_metrics(const Context& context)
{
    const auto& command = context.command;
    if (!command.library.empty()) {
        if (const auto checked = check_library_name(command.library); !checked) {
            return fail(context, checked.error());
        }
    }
    const std::string detail = command.all ? "all" : command.library;
    const auto answer = client_of(context).get(detail.empty() ? "/v1/metrics" : "/v1/metrics?detail=" + detail);
    if (!answer) {
        return fail_without_daemon(context, answer.error());
    }
    if (const auto checked = answer->check(); !checked) {
        return fail(context, checked.error());
    }
    if (!command.library.empty() &&
        answer->body.find(fmt::format("{{library=\"{}\"", command.library)) == std::string::npos) {
        return fail(context, Error(ErrorKind::not_found, fmt::format("there is no library {}; shelfctl status shows "
                                                                     "their names",
                                                                     command.library)));
    }
    if (!command.print.textfile.empty()) {
        const auto replaced = replace_file(command.print.textfile, answer->body);
        if (replaced) {
            return ExitCode::done;
        }
        const auto code = fail(context, replaced.error());
        return replaced.error().kind() == ErrorKind::storage ? ExitCode::storage : code;
    }
    if (command.output == Output::json) {
        context.terminal.print_json(exposition_to_json(answer->body) + "\n");
    } else {
        context.terminal.print_exact(answer->body);
    }
    return ExitCode::done;
}

}  // namespace shelfd::ctl
