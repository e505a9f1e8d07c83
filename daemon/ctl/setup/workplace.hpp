// A private directory for the daemon that explores, removed at the end.
#pragma once

#include "base/result.hpp"
#include "base/secret.hpp"
#include "ctl/setup/user_places.hpp"
#include "ctl/start/child_daemon.hpp"
#include "storage/file_lock.hpp"

#include <optional>
#include <string>

namespace shelfd::ctl {

class Workplace {
public:
    // Beside the socket of the installation; of the user shelfd for the system's daemon, whose token sets are its own.
    // Errors: config, if there is no such user; storage or permission.
    static Result<Workplace> create(const InstallationPlaces& places);
    // Removes those of programs that were killed, with the client secrets in them.
    static void remove_left_over(const InstallationPlaces& places);
    Workplace(Workplace&& other) noexcept;
    Workplace& operator=(Workplace&&) = delete;
    ~Workplace();

    const std::string& path() const { return path_; }
    // A file in it, readable by `user` only. Errors: storage or permission.
    Result<std::string> write_secret(const Secret& secret) const;
    // Who runs the daemon there; empty = this user.
    const std::optional<ProcessUser>& user() const { return user_; }

private:
    Workplace(std::string path, std::optional<ProcessUser> user, storage::FileLock lock)
        : path_(std::move(path)), user_(std::move(user)), lock_(std::move(lock))
    {
    }

    std::string path_;
    std::optional<ProcessUser> user_;
    storage::FileLock lock_;  // as long as it is held, the directory is in use
};

}  // namespace shelfd::ctl
