// The daemon's status as shelfctl shows it, read from the JSON of the control API.
#pragma once

#include "base/instant.hpp"
#include "base/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shelfd::ctl {

struct RunningView {
    std::string phase;
    std::uint64_t page = 0;   // 0 = not known
    std::uint64_t pages = 0;  // 0 = not known
    std::uint64_t rows = 0;
    double rows_per_second = 0;  // 0 = not known
    std::optional<Duration> eta;
    std::string note;
    std::uint64_t list = 0;   // of lists by parent
    std::uint64_t lists = 0;  // 0 = there are no such lists
};

struct RunView {
    Instant started;
    Instant finished;
    std::string result;
    std::string error;
    std::uint64_t requests = 0;
    std::uint64_t rows = 0;
    std::uint64_t added = 0;
    std::uint64_t changed = 0;
    std::uint64_t deleted = 0;
};

struct TokenView {
    std::string state;
    bool needs_person = false;
    bool access_usable = false;
    std::uint64_t generation = 0;
    std::optional<Instant> since;
    std::optional<Instant> expires_at;
    std::optional<Instant> last_refresh;
    std::optional<Instant> next_refresh;
    std::optional<Instant> deadline;
    std::string reason;
    std::string do_this;
    std::string kind;  // service_account, personal
    std::string next;  // what the daemon does by itself, behind "the daemon"
    std::vector<std::pair<std::string, std::string>> facts;
};

// Of a table of details.
struct DetailView {
    double share = 0;
    std::uint64_t pending = 0;
    std::uint64_t gone = 0;
};

struct ResourceView {
    std::string name;
    std::string state;
    std::string why;
    std::string do_this;
    std::optional<Instant> since;
    std::uint64_t rows = 0;
    std::optional<Instant> as_of;
    std::optional<Instant> proven_as_of;
    std::optional<Instant> complete_from;  // of a ledger
    std::optional<Instant> complete_to;
    std::optional<Instant> late_at;
    std::optional<Instant> next_due;
    std::optional<RunningView> running;
    std::optional<RunView> last_run;
    std::optional<DetailView> detail;
};

// Of the snapshots at an interval.
struct SnapshotView {
    std::optional<Instant> made_at;
    std::string trouble;  // "" = none
    std::optional<Instant> since;
};

// What the daemon did by itself to a mirror's file.
struct RepairView {
    std::optional<Instant> at;
    std::string found;
    std::string done;
};

// What has stopped a library, where that is a failure of the daemon itself.
struct BugView {
    std::string what;
    std::optional<Instant> since;
    std::uint64_t times = 1;
    std::optional<Instant> again_at;
    std::string do_this;
};

struct LibraryView {
    std::string name;
    std::string state;
    std::optional<BugView> bug;
    std::string origin;
    std::string library_id;
    bool identity_verified = false;
    std::string identity_trouble;
    std::vector<RepairView> repairs;
    std::string mirror;
    std::uint64_t wal_bytes = 0;
    std::optional<Instant> wal_pinned_since;
    TokenView token;
    SnapshotView snapshot;
    std::vector<ResourceView> resources;
};

struct NoticeView {
    std::string text;
    std::string do_this;
    std::optional<Instant> since;
};

struct StatusView {
    std::string version;
    std::uint64_t pid = 0;
    Instant now;
    std::string headline;
    std::vector<NoticeView> notices;
    std::vector<std::string> absent;  // libraries that are configured and do not run
    std::vector<LibraryView> libraries;
};

// Members that are not there are not known: a daemon of another minor version may say less or more.
// Errors: protocol, for what is no status or of another format version.
Result<StatusView> read_status(std::string_view json);

// Of a line of a stream.
RunningView read_running(std::string_view json);
RunView read_run(std::string_view json);

// The same JSON with notices of our own behind those of the daemon.
Result<std::string> add_notices(std::string_view json, const std::vector<NoticeView>& notices);

// One library alone, in the same JSON; headline and exit code, which are about all of them, are left out.
Result<std::string> limit_to_library(std::string_view json, const std::string& library);

// 0 all is fresh or paused, 1 late or filling, 2 somebody is needed.
int exit_code_of(const StatusView& status);

}  // namespace shelfd::ctl
