// The command line as values.
#pragma once

#include "base/instant.hpp"
#include "control/model/operations.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::ctl {

enum class Verb {
    status,
    sync,
    wait,
    sql,
    changes,
    schema,
    held,
    snapshot,
    explain,
    plan,
    probe,
    try_list,
    init,
    verify,
    get,
    auth_import,
    auth_login,
    auth_ask,
    auth_move_out,
    auth_move_in,
    auth_status,
    auth_token,
    auth_adopt,
    auth_forget,
    library_list,
    library_add,
    library_rename,
    library_pause,
    library_resume,
    library_forget,
    hooks_list,
    hooks_test,
    silence,
    doctor,
    bugreport,
    log,
    config_check,
    config_show,
    metrics,
    reload,
    completion,
    version,
};

enum class Output { text, json, csv, vertical };

using control::Sealing;

enum class HeldFate { look, accept, keep };

struct SyncOptions {
    bool full = false;
    std::string window_from;  // a day or an instant, "" = no window
    std::string window_to;
    std::optional<Duration> if_older;
    bool background = false;
    bool dry_run = false;  // of a reload, too
    bool all_libraries = false;
    std::optional<Duration> timeout;  // empty = as long as it takes
};

// For the verbs that read a mirror without the daemon.
struct ReadOptions {
    std::string sql;
    std::string since;  // a feed position, "" = the oldest kept, or that of the consumer
    bool follow = false;
    std::string consumer;           // name, "" = none
    bool acknowledge = false;       // what was printed
    std::string acknowledge_up_to;  // a feed position, "" = not given; nothing is printed then
    bool forget_consumer = false;
    std::string retype;  // RESOURCE.COLUMN, "" = only show
};

struct AuthOptions {
    Sealing sealing = Sealing::seal;
    bool open_browser = false;
    bool paste = false;
    std::string destination;  // "" = not given
    std::string language;     // of letters, "" = as configured
    std::string folder;       // for letters, a file each; "" = standard output
};

// For the verbs about the life of a library.
struct LibraryOptions {
    std::string new_name;
    std::string application;
    std::string library_id;  // "" = learned from the token set
    std::string note;
    bool login = false;
    bool without_set = false;
    bool agreed = false;  // the identity of a new set is not asked about
    bool without_revocation = false;
};

// For the verbs that send requests to the service.
struct InquiryOptions {
    std::vector<std::string> paths;
    bool raw = false;
    std::uint64_t sample = 0;  // rows, 0 = not given
    bool configured = false;   // explore the configured lists
};

struct AlertOptions {
    std::string hook;
    std::optional<Duration> silence;  // empty = off
};

struct StatusOptions {
    std::optional<TableState> state;  // of the tables that are shown; empty = any
    std::string problem;              // id, "" = not asked for
    std::string page;                 // file of the page of HTML, "-" = standard output, "" = none
    bool as_check = false;            // as a plugin of Nagios
    bool watch = false;
};

struct HelpOptions {
    std::string verb;  // "" = none
    std::string word;
    std::string shell;  // whose completion is printed
};

// For the verbs of the first ten minutes.
struct StartOptions {
    std::string url;
    std::string directory = "shelfd-try";
    std::string token_file;  // "" = standard input, or a hidden prompt
    std::string client_id;
    std::string client_secret_file;
    std::vector<std::string> scopes;
    bool non_interactive = false;
    bool allow_unsafe = false;
};

struct WaitOptions {
    std::optional<Duration> fresh;
    std::string as_of;  // RFC 3339 or "now", "" = not given
};

// For the verbs that examine the installation.
struct CareOptions {
    bool fix = false;
    std::string report_file;  // "" = shelfd-bugreport-TIME.txt in the working directory
    bool with_hosts = false;
    std::optional<Duration> since;
    std::optional<std::uint64_t> events;  // at most so many, the newest
};

// How something is printed.
struct PrintOptions {
    bool origin = false;   // with the file and line of each value
    std::string textfile;  // "" = standard output
};

struct Command {
    Verb verb = Verb::status;

    std::string config_file = "/etc/shelfd/shelfd.toml";
    std::string socket;  // "" = SHELFD_SOCKET, otherwise as configured
    bool no_color = false;

    std::string library;            // "" = all
    std::string resource;           // "" = all
    std::string key;                // as typed, "" = none
    std::vector<std::string> keys;  // of rows; empty = all
    HeldFate fate = HeldFate::look;
    Output output = Output::text;
    bool all = false;
    bool force = false;
    Duration timeout = std::chrono::minutes(10);

    SyncOptions sync;
    ReadOptions read;
    AuthOptions auth;
    LibraryOptions life;
    InquiryOptions inquiry;
    AlertOptions alerts;
    StatusOptions status;
    CareOptions care;
    HelpOptions help;
    WaitOptions wait;
    StartOptions start;
    PrintOptions print;
};

}  // namespace shelfd::ctl
