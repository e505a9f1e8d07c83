#include "ctl/mirror/file.hpp"

#include "base/state/mirror_schema.hpp"
#include "base/words/names.hpp"
#include "base/words/shell_word.hpp"
#include "config/load.hpp"
#include "ctl/context/places.hpp"
#include "ctl/daemon/client.hpp"
#include "ctl/status/status_view.hpp"
#include "storage/query.hpp"
#include "storage/sqlite_error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include <unistd.h>

namespace shelfd::ctl {
namespace {

namespace fs = std::filesystem;

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

// Who may read the mirror by the configuration, which this user may perhaps not read.
std::string way_in(const Context& context, const std::string& library)
{
    constexpr auto by_directory =
        "join the group that owns it (usually: sudo adduser NAME shelfd-read), then log in again";
    const auto loaded = config::load(context.command.config_file, context.environment, config::KeepOrigins::no,
                                     config::Secrets::not_now);
    const auto* configured = loaded.configuration ? loaded.configuration->find_library(library) : nullptr;
    if (configured == nullptr) {
        return "";
    }
    const auto& readers = configured->readers;
    if (readers.empty()) {
        return by_directory;
    }
    std::vector<std::string> names;
    for (const auto& reader : readers) {
        names.push_back(reader.name);
    }
    const auto group = std::find_if(readers.begin(), readers.end(),
                                    [](const Account& reader) { return reader.kind == Account::Kind::group; });
    const auto join = group == readers.end()
                          ? std::string()
                          : fmt::format("join the group {0} (sudo adduser NAME {0}), then log in again, or ",
                                        shell_word(group->name));
    return fmt::format(
        "[library.{}] has readers of its own, {}: {}an admin adds your name there, then: shelfctl reload", library,
        fmt::join(names, ", "), join);
}

Error refusal(const Context& context, const std::string& path, const std::string& directory)
{
    const auto& library = context.command.library;
    const bool may_pass = ::access(directory.c_str(), X_OK) == 0;
    if (const auto way = way_in(context, library); !way.empty()) {
        return Error(ErrorKind::permission,
                     fmt::format("you may not read {}: {}{}", path, way,
                                 may_pass ? " (if that is so already, shelfctl doctor says what is wrong with its "
                                            "directory)"
                                          : ""));
    }
    // Whoever may pass the directory of all mirrors, but not that of this one, may gain nothing by joining a group.
    return Error(ErrorKind::permission,
                 may_pass ? fmt::format("you may not read {0}: {1} is for its readers only. Where [library.{1}] has "
                                        "readers, an admin adds your name there, then: shelfctl reload; where it has "
                                        "none, to the group that owns its directory (usually: sudo adduser NAME "
                                        "shelfd-read), because a first name there would take it from that group (if "
                                        "you are one of its readers, shelfctl doctor says what is wrong with its "
                                        "directory)",
                                        path, library)
                          : fmt::format("you may not read {0}: join the group that owns it (usually: sudo adduser NAME "
                                        "shelfd-read), then log in again; where [library.{1}] has readers, an admin "
                                        "adds your name there instead",
                                        path, library));
}

// A later version may have written what this one would misread.
Result<void> check_min_reader(storage::Database& database, const std::string& path)
{
    SHELFD_TRY_ASSIGN(table, database.prepare("SELECT 1 FROM sqlite_master WHERE name = '_meta'"));
    SHELFD_TRY_ASSIGN(is_mirror, table.step());
    if (!is_mirror) {
        SHELFD_TRY_ASSIGN(tables, storage::read_number(database, "SELECT count(*) FROM sqlite_master"));
        return tables > 0
                   ? Result<void>()
                   : Error(ErrorKind::busy, fmt::format("{} is being made by the daemon; try again in a moment", path));
    }
    SHELFD_TRY_ASSIGN(row, database.prepare("SELECT value FROM _meta WHERE key = 'min_reader'"));
    SHELFD_TRY_ASSIGN(says, row.step());
    if (!says || may_read_mirror(row.text(0))) {
        return {};
    }
    return Error(ErrorKind::needs_person,
                 fmt::format("{} was written by a newer shelfd: it needs a shelfctl that knows mirrors "
                             "of version {}, this one knows {}; install that version again",
                             path, row.text(0), to_text(own_mirror_schema)));
}

}  // namespace

std::vector<std::string> known_mirrors(const std::string& directory)
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
    return names;
}

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
        return refusal(context, path, directory);
    }
    if (path = ask_daemon(context); !path.empty()) {
        return path;
    }
    if (library.find('/') == std::string::npos && fs::is_directory(fs::path(directory) / library, failed)) {
        return Error(ErrorKind::busy,
                     fmt::format("the mirror of {} in {} is not there yet: the daemon makes it when it "
                                 "opens the library; try again in a moment",
                                 library, directory));
    }
    return Error(
        ErrorKind::not_found,
        fmt::format("there is no mirror of {} in {} (known: {}); name another configuration with --config FILE",
                    library, directory, list_nearest_first(library, known_mirrors(directory))));
}

Result<storage::Database> open_mirror(const Context& context)
{
    SHELFD_TRY_ASSIGN(path, find_mirror(context));
    return open_to_read(path);
}

Result<storage::Database> open_to_read(const std::string& path)
{
    auto database = storage::Database::open(path, storage::OpenMode::read_only);
    if (!database) {
        return with_cure(database.error(), path);
    }
    // Opens the WAL, too.
    if (const auto read = database->execute("SELECT 1 FROM sqlite_master LIMIT 1"); !read) {
        return with_cure(read.error(), path);
    }
    SHELFD_TRY(check_min_reader(*database, path));
    return database;
}

Error with_cure(const Error& error, const std::string& path)
{
    std::error_code hidden;
    const bool lacks_wal = !fs::exists(path + "-wal", hidden) || !fs::exists(path + "-shm", hidden);
    if (!lacks_wal || !storage::is_denied_a_file(error)) {
        return error;
    }
    const bool is_of_system = path.starts_with("/var/");
    return Error(ErrorKind::permission,
                 fmt::format("cannot read {}: its files -wal and -shm are missing, and only the daemon may create "
                             "them; start it{}, or read with sudo",
                             path, is_of_system ? " (sudo systemctl start shelfd)" : ""));
}

}  // namespace shelfd::ctl
