#include "ctl/setup/workplace.hpp"

#include "storage/filesystem.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include <pwd.h>
#include <unistd.h>

namespace shelfd::ctl {
namespace {

namespace fs = std::filesystem;

constexpr auto lock_name = "/lock";

std::string folder_of(const InstallationPlaces& places)
{
    return places.of_system ? "/run" : places.socket.substr(0, places.socket.rfind('/'));
}

}  // namespace

// Nobody holds the lock of such a directory.
void Workplace::remove_left_over(const InstallationPlaces& places)
{
    std::error_code failed;
    for (fs::directory_iterator each(folder_of(places), failed), end; !failed && each != end; each.increment(failed)) {
        const auto path = each->path().string();
        std::error_code unknown;
        const bool is_one = each->path().filename().string().starts_with("shelfd-init-") &&
                            fs::symlink_status(path, unknown).type() == fs::file_type::directory &&
                            fs::is_regular_file(fs::symlink_status(path + lock_name, unknown));
        if (const auto lock = is_one ? std::optional(storage::FileLock::acquire(path + lock_name)) : std::nullopt;
            lock && *lock) {
            fs::remove_all(path, unknown);
        }
    }
}

Result<Workplace> Workplace::create(const InstallationPlaces& places)
{
    std::optional<ProcessUser> user;
    if (places.of_system) {
        const auto* entry = ::getpwnam("shelfd");
        if (entry == nullptr) {
            return Error(ErrorKind::config, no_user_of_daemon);
        }
        user = ProcessUser{entry->pw_name, entry->pw_uid, entry->pw_gid};
    }
    auto path = folder_of(places) + "/shelfd-init-XXXXXX";
    const bool is_made = ::mkdtemp(path.data()) != nullptr;
    if (!is_made || (user && ::chown(path.c_str(), user->uid, user->gid) != 0)) {
        const int number = errno;
        return Error(number == EACCES || number == EPERM ? ErrorKind::permission : ErrorKind::storage,
                     fmt::format("cannot create {}: {}", path, std::strerror(number)));
    }
    SHELFD_TRY_ASSIGN(lock, storage::FileLock::acquire(path + lock_name));
    return Workplace(std::move(path), std::move(user), std::move(lock));
}

Result<std::string> Workplace::write_secret(const Secret& secret) const
{
    storage::Replacement how{.mode = 0600};
    if (user_) {
        how.owner = storage::FileOwner{user_->uid, user_->gid};
    }
    auto file = path_ + "/client-secret";
    SHELFD_TRY(storage::replace_file(file, secret.reveal(), how));
    return file;
}

Workplace::Workplace(Workplace&& other) noexcept
    : path_(std::exchange(other.path_, "")), user_(std::move(other.user_)), lock_(std::move(other.lock_))
{
}

Workplace::~Workplace()
{
    if (!path_.empty()) {
        std::error_code failed;
        std::filesystem::remove_all(path_, failed);
    }
}

}  // namespace shelfd::ctl
