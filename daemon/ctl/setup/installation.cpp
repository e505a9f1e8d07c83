#include "ctl/setup/installation.hpp"

#include "base/regular_file.hpp"
#include "base/words/shell_word.hpp"
#include "config/tree/files.hpp"
#include "config/tree/toml_reader.hpp"
#include "storage/file_lock.hpp"
#include "storage/filesystem.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <vector>

#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

namespace shelfd::ctl {
namespace {

namespace fs = std::filesystem;

constexpr auto group_of_daemon = "shelfd";
constexpr auto no_group = "there is no group shelfd: install the package, or run systemd-sysusers; to configure a "
                          "daemon of your own instead, name its file with --config";

Error cannot(const char* what, const std::string& path, int number)
{
    const bool is_denied = number == EACCES || number == EPERM || number == EROFS;
    return Error(is_denied ? ErrorKind::permission : ErrorKind::storage,
                 fmt::format("cannot {} {}: {}", what, path, std::strerror(number)));
}

// For the system's daemon, which reads files of root.
Result<void> give_to_daemon(const std::string& path)
{
    const auto* group = ::getgrnam(group_of_daemon);
    if (group == nullptr) {
        return Error(ErrorKind::config, no_group);
    }
    if (::chown(path.c_str(), static_cast<uid_t>(-1), group->gr_gid) != 0) {
        return cannot("change the group of", path, errno);
    }
    return {};
}

// What a daemon that has ended writes about a directory of token sets, if there is nothing else in it: without a set,
// it says nothing that anybody needs.
void remove_notes(const std::string& directory)
{
    const auto lock = directory + "/.lock";
    const auto places = directory + "/.places";
    std::error_code failed;
    bool has_others = false;
    for (fs::directory_iterator each(directory, failed), end; !failed && each != end; each.increment(failed)) {
        std::error_code unknown;
        const bool is_note = each->path() == lock || each->path() == places;
        has_others = has_others || !is_note || !fs::is_regular_file(each->symlink_status(unknown));
    }
    if (failed || has_others) {
        return;
    }
    if (const auto held = storage::FileLock::acquire(lock)) {
        fs::remove(places, failed);
        fs::remove(lock, failed);
    }
}

// Also a link that leads nowhere: what is written there would replace it.
Result<bool> is_there(const std::string& path)
{
    struct stat found {};
    if (::lstat(path.c_str(), &found) == 0) {
        return true;
    }
    return errno == ENOENT || errno == ENOTDIR ? Result<bool>(false) : Result<bool>(cannot("look at", path, errno));
}

// By keys that a main file has, and blocks of lists or files of other programs do not. What cannot be read is none.
bool is_configuration(const std::string& path)
{
    const auto text = read_regular_file(path, config::max_file);
    config::FaultList ignored;
    const auto root = text ? config::read_toml(*text, path, ignored) : std::nullopt;
    const auto has = [&root](const char* table, const char* key) {
        const auto* found = root ? root->find(table) : nullptr;
        return found != nullptr && found->is_table() && found->find(key) != nullptr;
    };
    return has("service", "base_url") || has("storage", "mirrors") || has("storage", "tokens");
}

// A daemon reads conf.d beside its file: two configurations in one directory would read, and change, the same files.
Result<void> check_alone(const InstallationPlaces& places)
{
    const fs::path own = places.config_file;
    std::error_code failed;
    for (fs::directory_iterator each(own.parent_path(), failed), end; !failed && each != end; each.increment(failed)) {
        const auto& path = each->path();
        if (path.filename() == own.filename() || path.extension() != ".toml" || !is_configuration(path.string())) {
            continue;
        }
        const auto stem = own.stem() == "shelfd" ? std::string("second") : own.stem().string();
        const auto other = own.parent_path() / stem / "shelfd.toml";
        return Error(ErrorKind::usage,
                     fmt::format("{0} already uses this directory, and a second configuration would share its conf.d, "
                                 "secrets, mirrors and token sets: give the new one a directory of its own: --config "
                                 "{1}. If {0} is not used any more: mv {2} {3}",
                                 path.string(), shell_word(other.string()), shell_word(path.string()),
                                 shell_word(path.string() + ".old")));
    }
    return {};
}

}  // namespace

Result<void> check_vacant(const InstallationPlaces& places, const std::vector<std::string>& files)
{
    SHELFD_TRY_ASSIGN(is_configured, is_there(places.config_file));
    if (is_configured) {
        return Error(ErrorKind::usage,
                     fmt::format("{} is there already: init writes the first configuration only. For another library: "
                                 "shelfctl library add; to find more lists: shelfctl probe LIB. To begin again, move "
                                 "it away, and the files beside it that it names",
                                 places.config_file));
    }
    SHELFD_TRY(check_alone(places));
    for (const auto& file : files) {
        SHELFD_TRY_ASSIGN(is_taken, is_there(file));
        if (is_taken) {
            const bool is_of_library = file != places.lists_file() && file.ends_with(".toml");
            return Error(ErrorKind::usage,
                         fmt::format("{} is there already, and init would write that file; move it away: mv {} {}{}",
                                     file, shell_word(file), shell_word(file + ".old"),
                                     is_of_library ? ", or choose another name for the library" : ""));
        }
    }
    return {};
}

// With all its parents; only the last one gets the mode.
Result<void> MadeDirectories::make(const std::string& path, unsigned mode)
{
    std::error_code failed;
    const auto parent = fs::path(path).parent_path();
    if (!parent.empty() && parent != path && !fs::exists(parent, failed) && !failed) {
        SHELFD_TRY(make(parent.string(), 0777));
    }
    if (::mkdir(path.c_str(), mode) == 0) {
        made_.push_back(path);
    } else if (errno != EEXIST) {
        return cannot("create", path, errno);
    }
    return {};
}

Result<void> MadeDirectories::make_for_daemon(const std::string& path, unsigned mode)
{
    const auto* user = ::getpwnam(group_of_daemon);
    if (user == nullptr) {
        return Error(ErrorKind::config, no_user_of_daemon);
    }
    const auto before = made_.size();
    SHELFD_TRY(make(path, mode));
    if (made_.size() == before) {
        return {};  // it was there
    }
    // As tmpfiles.d gives those of the first instance.
    const auto* readers = (mode & S_ISGID) != 0 ? ::getgrnam("shelfd-read") : nullptr;
    const auto group = readers != nullptr ? readers->gr_gid : user->pw_gid;
    const bool is_given = ::chown(path.c_str(), user->pw_uid, group) == 0 && ::chmod(path.c_str(), mode) == 0;
    return is_given ? Result<void>() : cannot("give to the user of the daemon", path, errno);
}

Result<void> MadeDirectories::create(const InstallationPlaces& places)
{
    const auto secrets = places.directory() + "/secrets";
    tokens_ = places.tokens;
    if (places.of_system) {
        if (::getgrnam(group_of_daemon) == nullptr) {
            return Error(ErrorKind::config, no_group);
        }
        SHELFD_TRY(make(places.directory(), 0755));
        SHELFD_TRY(make(places.directory() + "/conf.d", 0755));
        SHELFD_TRY(make(secrets, 0750));
        if (!places.state.empty()) {
            SHELFD_TRY(make_for_daemon(places.state, 0751));  // as StateDirectoryMode of the unit
            SHELFD_TRY(make_for_daemon(places.mirrors, 02750));
            SHELFD_TRY(make_for_daemon(places.tokens, 0700));
            SHELFD_TRY(make_for_daemon(places.socket.substr(0, places.socket.rfind('/')), 0755));
        }
        return give_to_daemon(secrets);
    }
    const auto runtime = places.socket.substr(0, places.socket.rfind('/'));
    for (const auto& path :
         {places.directory(), places.directory() + "/conf.d", secrets, places.mirrors, places.tokens, runtime}) {
        SHELFD_TRY(make(path, 0700));
    }
    return {};
}

Result<void> check_usable(const InstallationPlaces& places)
{
    MadeDirectories trial;
    auto made = trial.create(places);
    trial.remove_empty();
    return made;
}

void MadeDirectories::remove_empty() const
{
    for (auto path = made_.rbegin(); path != made_.rend(); ++path) {
        if (*path == tokens_) {
            remove_notes(*path);
        }
        ::rmdir(path->c_str());  // fails unless it is empty
    }
}

Result<void> write_config_file(const InstallationPlaces& places, const std::string& path, const std::string& text)
{
    return storage::replace_file(path, text, {.mode = places.of_system ? mode_t{0644} : mode_t{0600}});
}

Result<void> write_secret(const InstallationPlaces& places, const std::string& path, const Secret& secret)
{
    SHELFD_TRY(storage::replace_file(path, secret.reveal(), {.mode = 0600}));
    if (!places.of_system) {
        return {};
    }
    SHELFD_TRY(give_to_daemon(path));
    return ::chmod(path.c_str(), 0640) == 0 ? Result<void>() : cannot("change the mode of", path, errno);
}

}  // namespace shelfd::ctl
