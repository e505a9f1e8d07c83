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

Result<Workplace> Workplace::create(const InstallationPlaces& places)
{
    std::optional<ProcessUser> user;
    if (places.of_system) {
        const auto* entry = ::getpwnam("shelfd");
        if (entry == nullptr) {
            return Error(ErrorKind::config, "there is no user shelfd: install the package, or run systemd-sysusers");
        }
        user = ProcessUser{entry->pw_name, entry->pw_uid, entry->pw_gid};
    }
    auto path = (places.of_system ? std::string("/run") : places.socket.substr(0, places.socket.rfind('/'))) +
                "/shelfd-init-XXXXXX";
    const bool is_made = ::mkdtemp(path.data()) != nullptr;
    if (!is_made || (user && ::chown(path.c_str(), user->uid, user->gid) != 0)) {
        const int number = errno;
        return Error(number == EACCES || number == EPERM ? ErrorKind::permission : ErrorKind::storage,
                     fmt::format("cannot create {}: {}", path, std::strerror(number)));
    }
    return Workplace(std::move(path), std::move(user));
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

Workplace::Workplace(Workplace&& other) noexcept : path_(std::exchange(other.path_, "")), user_(std::move(other.user_))
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
