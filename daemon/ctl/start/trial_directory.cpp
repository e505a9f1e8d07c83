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

Result<void> create(const std::string& path)
{
    if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
        return cannot_create(path, errno);
    }
    return {};
}

// That of an earlier trial of the same service, or empty.
Result<void> check_contents(const std::string& path, const std::string& base_url)
{
    std::error_code failed;
    if (!fs::is_directory(path, failed)) {
        return Error(ErrorKind::usage, fmt::format("{} is no directory; name another place with --directory", path));
    }
    if (fs::is_empty(path, failed)) {
        return {};
    }
    const auto text = read_regular_file(path + "/shelfd.toml", config::max_file).value_or("");
    if (text.starts_with(trial_mark(base_url) + "\n")) {
        return {};
    }
    const bool is_trial = text.starts_with(trial_mark(""));
    return Error(ErrorKind::usage,
                 is_trial
                     ? fmt::format("{0} holds the trial of another service: remove it (rm -r {1}), or name another "
                                   "place with --directory",
                                   path, shell_word(path))
                     : fmt::format("{} is not empty and no trial; name another place with --directory", path));
}

Result<std::string> make_private(const std::string& path, const Environment& environment)
{
    std::vector<std::string> places;
    if (const auto runtime = environment.find("XDG_RUNTIME_DIR"); runtime != environment.end()) {
        places.push_back(runtime->second);
    }
    places.insert(places.end(), {"/dev/shm", path});
    int number = 0;
    for (const auto& place : places) {
        auto name = place + "/shelfd-try-XXXXXX";
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
    SHELFD_TRY(create(path));
    SHELFD_TRY(check_contents(path, base_url));
    SHELFD_TRY(create(path + "/mirrors"));
    SHELFD_TRY_ASSIGN(hidden, make_private(path, environment));
    TrialDirectory trial(std::move(path), std::move(hidden));
    if (!fs::exists(trial.config_file(), failed)) {
        SHELFD_TRY(storage::replace_file(trial.config_file(), trial_mark(base_url) + "\n", {.mode = 0600}));
    }
    SHELFD_TRY(storage::replace_file(trial.unused_secret(), "unused\n", {.mode = 0600}));
    return trial;
}

TrialDirectory::TrialDirectory(TrialDirectory&& other) noexcept
    : path_(std::move(other.path_)), private_(std::exchange(other.private_, ""))
{
}

TrialDirectory::~TrialDirectory()
{
    if (!private_.empty()) {
        std::error_code failed;
        fs::remove_all(private_, failed);
    }
}

}  // namespace shelfd::ctl
