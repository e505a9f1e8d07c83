// What the person typed, as values.
#pragma once

#include "base/instant.hpp"

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
    hooks_list,
    hooks_test,
    silence,
    config_check,
    config_show,
    reload,
    completion,
    version,
};

enum class Output { text, json, csv };

enum class Sealing { seal, no_seal, access_only };

enum class HeldFate { look, accept, keep };

struct Command {
    Verb verb = Verb::status;

    std::string config_file = "/etc/shelfd/shelfd.toml";
    std::string socket;  // "" = SHELFD_SOCKET, else as configured
    bool no_color = false;

    std::string library;            // "" = all
    std::string resource;           // "" = all
    std::string key;                // as typed, "" = none
    std::vector<std::string> keys;  // of rows; none = all
    HeldFate fate = HeldFate::look;
    std::string sql;
    std::string retype;  // RESOURCE.COLUMN, "" = only look
    std::string since;   // "" = the oldest that is kept
    std::string shell;
    std::string window_from;  // a day or an instant, "" = no window
    std::string window_to;
    Output output = Output::text;
    Sealing sealing = Sealing::seal;
    std::optional<Duration> fresh;
    std::optional<Duration> if_older;
    Duration timeout = std::chrono::minutes(10);
    bool all = false;
    bool watch = false;
    bool full = false;
    bool background = false;
    bool origin = false;
    bool follow = false;
    bool open_browser = false;
    bool paste = false;
    bool force = false;
    bool raw = false;
    bool dry_run = false;
    std::uint64_t sample = 0;  // rows, 0 = not said
    std::vector<std::string> paths;
    std::string destination;  // "" = not said
    std::string hook;
    std::optional<Duration> silence;  // nothing = off
};

}  // namespace shelfd::ctl
