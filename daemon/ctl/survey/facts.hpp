// The facts about an installation that `shelfctl doctor` judges: plain values. This room gathers them from the machine
// and judges nothing; it sends no request to the service, runs no program but `shelfd --version`, and never opens the
// token store.
#pragma once

#include "base/instant.hpp"
#include "config/model/model.hpp"
#include "storage/access/access_list.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/types.h>

namespace shelfd::ctl {

// One name in the file system; links are not followed.
struct PathFacts {
    enum class Kind { missing, hidden, file, directory, socket, link, other };

    std::string path;
    Kind kind = Kind::missing;
    std::string reason;  // of `hidden`: why this user cannot look at it
    mode_t mode = 0;     // with set-uid, set-gid and sticky
    uid_t uid = 0;
    gid_t gid = 0;
    dev_t device = 0;
    ino_t inode = 0;
    nlink_t links = 0;
    std::uint64_t bytes = 0;
    Instant modified;
    std::optional<storage::AccessList> access = {};  // if it names users or groups: the group of `mode` is its mask

    bool is_there() const { return kind != Kind::missing && kind != Kind::hidden; }
};

struct UserFacts {
    std::string name;
    uid_t uid = 0;
    gid_t gid = 0;  // the primary group
};

struct GroupFacts {
    std::string name;
    gid_t gid = 0;
    std::vector<std::string> members;  // of the group's entry; users with it as primary group are not among them
};

// The users and groups of the machine, as far as the name service lists them.
struct People {
    std::vector<UserFacts> users;
    std::vector<GroupFacts> groups;

    const UserFacts* find_user(uid_t uid) const;
    const UserFacts* find_user(const std::string& name) const;
    const GroupFacts* find_group(gid_t gid) const;
    const GroupFacts* find_group(const std::string& name) const;
    // "shelfd", or the number of an unknown one.
    std::string user_name(uid_t uid) const;
    std::string group_name(gid_t gid) const;
    // Members and users with it as primary group, sorted, each once.
    std::vector<std::string> users_of(gid_t gid) const;
    bool is_in(const UserFacts& user, gid_t gid) const;
};

struct DiskFacts {
    std::string path;
    std::string trouble;  // why nothing is known; "" = known
    dev_t device = 0;
    bool read_only = false;
    std::uint64_t bytes = 0;
    std::uint64_t free_bytes = 0;  // for users without privileges
    std::uint64_t inodes = 0;      // 0 = the file system has no fixed number
    std::uint64_t free_inodes = 0;
    std::string unsafe;  // why its data may be lost; "" = it is durable
};

struct MirrorFacts {
    std::string library;
    PathFacts directory;
    PathFacts file;
    std::vector<PathFacts> others;  // everything else in the directory, by name
    // From the mirror itself:
    std::string trouble;                  // why it cannot be read; "" = it was read, or is not there
    std::uint64_t used_bytes = 0;         // without free pages: what VACUUM INTO writes
    std::optional<double> bytes_a_day;    // growth of the last days; empty = not known
    std::optional<Duration> clock_error;  // this machine's clock minus the service's `Date`, by the newest runs
    std::optional<Instant> newest_run;    // when it ended, by this machine's clock
    std::vector<std::pair<pid_t, std::string>> pinning_readers;  // of a large WAL: process and command

    std::uint64_t wal_bytes() const;
};

struct TokenFacts {
    std::string library;
    PathFacts directory;
    PathFacts copy_directory;  // under tokens_copy
    std::vector<PathFacts> files;
};

struct SecretFacts {
    std::string used_by;  // "application.partner", "library.antwerp", "hooks.mail"
    config::SecretReference::Kind kind = config::SecretReference::Kind::file;
    std::string name;                // path, credential, or program
    PathFacts file;                  // of a file and of a command
    std::vector<PathFacts> parents;  // of the file, from / on
};

struct CertificateFacts {
    std::string used_by;
    PathFacts file;
    std::string trouble;  // why it is no file of certificates; "" = it is one, or it was not read
    std::vector<PathFacts> parents;
};

// The daemon, as its socket and /proc report it.
struct DaemonFacts {
    bool answers = false;
    std::string trouble;   // why it does not answer
    bool refused = false;  // it runs, but this user may not ask it
    std::string version;
    std::int64_t pid = 0;
    std::optional<uid_t> uid;
    std::string config_file;
    std::optional<Instant> config_loaded;
    std::vector<std::string> absent;
    bool program_replaced = false;            // /proc/PID/exe is deleted
    std::optional<std::uint64_t> open_files;  // limit of descriptors
    std::optional<std::uint64_t> files_in_use;
    std::vector<std::string> needs_person;  // libraries whose token set needs a person
    // Its notices about libraries of one user that do not share a limit: what is wrong, and what to do.
    std::vector<std::pair<std::string, std::string>> parted_limits = {};
};

struct SystemFacts {
    std::string kernel;
    std::string sqlite;
    std::string program_version;             // of the installed shelfd; "" = not known
    std::string program;                     // its path; "" = not found
    std::optional<bool> clock_synchronised;  // by the kernel; empty = not known
    std::string machine_id;                  // "" = none
    bool machine_id_hidden = false;
    std::uint64_t max_watches = 0;  // inotify, of each user; 0 = not known
    std::uint64_t max_instances = 0;
    bool zones = false;  // the timezone database is there
    std::string zones_path;
    bool systemd = false;
    bool of_user = false;               // the daemon is that of a user without root; then `unit` is that user's
    std::string unit;                   // path of the unit; "" = not installed
    std::vector<std::string> drop_ins;  // paths
    std::vector<std::string> writable;  // ReadWritePaths=, StateDirectory= (absolute) of unit and drop-ins
    std::string unit_user;              // User= in effect
};

struct ConfigFacts {
    std::string file;
    std::vector<std::string> faults;
    std::vector<std::string> warnings;
    bool hidden = false;           // it cannot be read by this user
    std::vector<PathFacts> files;  // that were read
    std::optional<config::Configuration> model;
};

struct Facts {
    Instant now;
    uid_t asked_by = 0;
    ConfigFacts config;
    std::string socket;
    PathFacts socket_file;
    DaemonFacts daemon;
    SystemFacts system;
    People people;
    std::vector<PathFacts> places;      // directories of the configuration: mirrors, tokens, tokens_copy, in this order
    std::vector<std::string> unlisted;  // of these, what this user may not list
    std::vector<PathFacts> parents_of_mirrors;
    std::vector<DiskFacts> disks;  // of the same, where they are there
    std::vector<MirrorFacts> mirrors;
    std::vector<TokenFacts> tokens;
    std::vector<SecretFacts> secrets;
    std::vector<CertificateFacts> certificates;

    const config::Configuration* configuration() const { return config.model ? &*config.model : nullptr; }
    bool is_configured(const std::string& library) const;
    // What a person types to restart the daemon, and to start it.
    std::string restart_command() const;
    std::string start_command() const;
    // The user that the daemon runs as: of its process, of the unit, or the owner of storage.tokens. Empty = not known.
    std::optional<uid_t> daemon_user() const;
    const PathFacts* place(std::string_view key) const;
};

// "0640"
std::string mode_text(mode_t mode);
// "12 MiB"
std::string size_text(double bytes);

}  // namespace shelfd::ctl
