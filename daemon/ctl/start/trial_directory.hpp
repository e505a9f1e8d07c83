// The directories of a trial: one that stays, with the mirror, and a private one that holds the access token.
#pragma once

#include "base/result.hpp"
#include "ctl/line/environment.hpp"
#include "storage/file_lock.hpp"

#include <optional>
#include <string>

namespace shelfd::ctl {

// Removes the private directory when destroyed, and when made those of trials that were killed. Where no daemon has
// begun to mirror, what was written into the other one is removed as well, and that one itself if it was made here.
class TrialDirectory {
public:
    // Creates `directory` (mode 0700), or uses that of an earlier trial of the same service, or of one that mirrored
    // nothing. The private one is in memory where it can be: below XDG_RUNTIME_DIR or /dev/shm, else in `directory`.
    // Errors: usage, if `directory` is something else or has a mirror of another service, with the cure; storage,
    // permission.
    static Result<TrialDirectory> open(const std::string& directory, const std::string& base_url,
                                       const Environment& environment);
    TrialDirectory(TrialDirectory&& other) noexcept;
    TrialDirectory& operator=(TrialDirectory&&) = delete;
    ~TrialDirectory();

    const std::string& path() const { return path_; }  // absolute
    std::string config_file() const { return path_ + "/shelfd.toml"; }
    std::string log_file() const { return path_ + "/shelfd.log"; }
    std::string mirrors() const { return path_ + "/mirrors"; }
    std::string unused_secret() const { return path_ + "/unused-secret"; }
    const std::string& hidden() const { return private_; }
    std::string tokens() const { return private_ + "/tokens"; }
    std::string socket() const { return private_ + "/control.sock"; }

private:
    enum class Before { absent, empty, used };  // what `path` was

    TrialDirectory(std::string path, std::string hidden, Before before)
        : path_(std::move(path)), private_(std::move(hidden)), before_(before)
    {
    }
    void remove_unused() const;

    std::string path_;
    std::string private_;
    Before before_;
    std::optional<storage::FileLock> lock_;  // as long as the trial lasts
};

// The first line of its configuration, by which a later trial knows the directory.
std::string trial_mark(const std::string& base_url);

}  // namespace shelfd::ctl
