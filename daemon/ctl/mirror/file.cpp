#include "ctl/mirror/file.hpp"

#include "ctl/context/places.hpp"
#include "ctl/daemon/client.hpp"

#include "ctl/status/status_view.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace shelfd::ctl {
namespace {

namespace fs = std::filesystem;

std::string known_mirrors(const std::string& directory)
{
    std::vector<std::string> names;
    std::error_code failed;
    for (fs::directory_iterator entry(directory, failed), end; !failed && entry != end; entry.increment(failed)) {
        const auto name = entry->path().filename().string();
        std::error_code hidden;
        if (fs::exists(entry->path() / (name + ".db"), hidden)) {
            names.push_back(name);
        }
    }
    std::sort(names.begin(), names.end());
    std::string text;
    for (const auto& name : names) {
        text += (text.empty() ? "" : ", ") + name;
    }
    return text.empty() ? "none" : text;
}

// The path that the daemon reports; "" if it reports none.
std::string ask_daemon(const Context& context)
{
    const auto answer = client_of(context).get("/v1/status");
    const auto status = answer && answer->check() ? read_status(answer->body)
                                                  : Result<StatusView>(Error(ErrorKind::not_found, "no status"));
    if (status) {
        for (const auto& library : status->libraries) {
            if (library.name == context.command.library) {
                return library.mirror;
            }
        }
    }
    return "";
}

}  // namespace

Result<std::string> find_mirror(const Context& context)
{
    const auto& library = context.command.library;
    const auto directory = find_places(context.command, context.environment).mirrors;
    auto path = (fs::path(directory) / library / (library + ".db")).string();
    std::error_code failed;
    if (library.find('/') == std::string::npos && fs::exists(path, failed)) {
        return path;
    }
    if (failed && failed == std::errc::permission_denied) {
        return Error(ErrorKind::permission, fmt::format("you may not read {}: join the group that owns it (usually: "
                                                        "sudo adduser NAME shelfd-read), then log in again",
                                                        path));
    }
    if (path = ask_daemon(context); !path.empty()) {
        return path;
    }
    return Error(
        ErrorKind::not_found,
        fmt::format("there is no mirror of {} in {} (there is: {}); name another configuration with --config FILE",
                    library, directory, known_mirrors(directory)));
}

Result<storage::Database> open_mirror(const Context& context)
{
    SHELFD_TRY_ASSIGN(path, find_mirror(context));
    return storage::Database::open(path, storage::OpenMode::read_only);
}

}  // namespace shelfd::ctl
