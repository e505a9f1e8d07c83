#include "ctl/start/trial_directory.hpp"

#include "base/regular_file.hpp"
#include "base/words/shell_word.hpp"
#include "config/tree/files.hpp"
#include "storage/filesystem.hpp"

#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

namespace shelfd::ctl {
namespace {

namespace fs = std::filesystem;

Error cannot_create(const std::string& path, int number)
{
    const bool is_denied = number == EACCES || number == EPERM || number == EROFS;
    return Error(is_denied ? ErrorKind::permission : ErrorKind::storage,
                 fmt::format("cannot create {}: {}; name another place with --directory", path, std::strerror(number)));
}

// Whether it was not there before.
Result<bool> create(const std::string& path)
{
    const bool is_new = ::mkdir(path.c_str(), 0700) == 0;
    if (!is_new && errno != EEXIST) {
        return cannot_create(path, errno);
    }
    return is_new;
}

bool has_mirror(const std::string& path)
{
    std::error_code failed;
    const auto mirrors = path + "/mirrors";
    return fs::exists(fs::symlink_status(mirrors, failed)) && !fs::is_empty(mirrors, failed);
}

// That of an earlier trial of the same service, or of one that mirrored nothing, or empty.
Result<void> check_contents(const std::string& path, const std::string& base_url)
{
    std::error_code failed;
    if (!fs::is_directory(path, failed)) {
        return Error(ErrorKind::usage, fmt::format("{} is not a directory; name another place with --directory", path));
    }
    if (fs::is_empty(path, failed)) {
        return {};
    }
    const auto text = read_regular_file(path + "/shelfd.toml", config::max_file).value_or("");
    if (text.starts_with(trial_mark(base_url) + "\n")) {
        return {};
    }
    const bool is_trial = text.starts_with(trial_mark(""));
    if (is_trial && !has_mirror(path)) {
        return {};
    }
    return Error(
        ErrorKind::usage,
        is_trial ? fmt::format("{0} holds the trial of another service: remove it (rm -r {1}), or name another "
                               "place with --directory",
                               path, shell_word(path))
                 : fmt::format("{} is not empty, and not the directory of a trial; name another place with --directory",
                               path));
}

constexpr auto lock_name = "/lock";
constexpr auto private_prefix = "shelfd-try-";

// Where the private directory may be, the best place first.
std::vector<std::string> private_places(const std::string& path, const Environment& environment)
{
    std::vector<std::string> places;
    if (const auto runtime = environment.find("XDG_RUNTIME_DIR"); runtime != environment.end()) {
        places.push_back(runtime->second);
    }
    places.insert(places.end(), {"/dev/shm", path});
    return places;
}

// Of this user, and nobody else can write to it: no link in it leads elsewhere.
bool is_private_trial(const fs::path& path)
{
    struct stat found {};
    return path.filename().string().starts_with(private_prefix) && ::lstat(path.c_str(), &found) == 0 &&
           S_ISDIR(found.st_mode) && found.st_uid == ::geteuid() && (found.st_mode & 0077) == 0;
}

// Those of trials that were killed: nobody holds their locks.
void remove_left_over(const std::vector<std::string>& places)
{
    for (const auto& place : places) {
        std::error_code failed;
        for (fs::directory_iterator each(place, failed), end; !failed && each != end; each.increment(failed)) {
            const auto lock_file = each->path().string() + lock_name;
            std::error_code unknown;
            if (!is_private_trial(each->path()) || !fs::is_regular_file(fs::symlink_status(lock_file, unknown))) {
                continue;
            }
            if (const auto lock = storage::FileLock::acquire(lock_file)) {
                fs::remove_all(each->path(), unknown);
            }
        }
    }
}

Result<std::string> make_private(const std::string& path, const std::vector<std::string>& places)
{
    int number = 0;
    for (const auto& place : places) {
        auto name = place + "/" + private_prefix + "XXXXXX";
        // A socket's path has 107 bytes at most.
        if (place.starts_with('/') && name.size() <= 90 && ::mkdtemp(name.data()) != nullptr) {
            if (::mkdir((name + "/tokens").c_str(), 0700) == 0) {
                return name;
            }
            number = errno;
            ::rmdir(name.c_str());
        }
        number = number == 0 ? errno : number;
    }
    return cannot_create(path + "/shelfd-try-…", number);
}

}  // namespace

std::string trial_mark(const std::string& base_url)
{
    return "# Written by shelfctl try for " + base_url;
}

Result<TrialDirectory> TrialDirectory::open(const std::string& directory, const std::string& base_url,
                                            const Environment& environment)
{
    std::error_code failed;
    auto path = fs::absolute(directory, failed).lexically_normal().string();
    while (path.size() > 1 && path.ends_with('/')) {
        path.pop_back();
    }
    SHELFD_TRY_ASSIGN(is_new, create(path));
    SHELFD_TRY(check_contents(path, base_url));
    const auto before = is_new ? Before::absent : fs::is_empty(path, failed) ? Before::empty : Before::used;
    SHELFD_TRY(create(path + "/mirrors"));
    const auto places = private_places(path, environment);
    remove_left_over(places);
    SHELFD_TRY_ASSIGN(hidden, make_private(path, places));
    TrialDirectory trial(std::move(path), std::move(hidden), before);
    SHELFD_TRY_ASSIGN(lock, storage::FileLock::acquire(trial.hidden() + lock_name));
    trial.lock_.emplace(std::move(lock));
    if (!has_mirror(trial.path())) {
        SHELFD_TRY(storage::replace_file(trial.config_file(), trial_mark(base_url) + "\n", {.mode = 0600}));
    }
    SHELFD_TRY(storage::replace_file(trial.unused_secret(), "unused\n", {.mode = 0600}));
    return trial;
}

TrialDirectory::TrialDirectory(TrialDirectory&& other) noexcept
    : path_(std::move(other.path_)), private_(std::exchange(other.private_, "")), before_(other.before_),
      lock_(std::move(other.lock_))
{
}

TrialDirectory::~TrialDirectory()
{
    if (!private_.empty()) {
        std::error_code failed;
        fs::remove_all(private_, failed);
        remove_unused();
    }
}

// A daemon that mirrors has a log, also where it fails.
void TrialDirectory::remove_unused() const
{
    std::error_code failed;
    if (before_ == Before::used || has_mirror(path_) || fs::exists(log_file(), failed)) {
        return;
    }
    for (const auto& made : {mirrors(), config_file(), unused_secret()}) {
        fs::remove(made, failed);
    }
    if (before_ == Before::absent) {
        fs::remove(path_, failed);
    }
}

}  // namespace shelfd::ctl
