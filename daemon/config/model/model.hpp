// The configuration as values: checked and complete, with defaults; secrets are references.
#pragma once

#include "base/accounts/accounts.hpp"
#include "base/instant.hpp"
#include "base/time_of_day.hpp"
#include "config/model/shared_list.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace shelfd::config {

// Where a value was written, for errors and for `config show --origin`.
struct Position {
    std::string file;
    std::uint32_t line = 0;    // 1-based; 0 = a default
    std::uint32_t column = 0;  // 1-based, in characters

    // Positions always compare equal: a configuration whose text only moved is unchanged.
    friend bool operator==(const Position&, const Position&) { return true; }
};

// Maps "library.antwerp.page_size" to the position of the key; defaults are absent.
using Origins = std::map<std::string, Position>;

struct SecretReference {
    enum class Kind { file, credential, command };
    Kind kind = Kind::file;
    std::string path_or_name;          // file: path; credential: name
    std::vector<std::string> command;  // command: argv
    Position position;

    friend bool operator==(const SecretReference&, const SecretReference&) = default;
};

struct Identity {
    std::string path;             // "/api/v2/accounts/libraries/current/"
    std::string field;            // name of the member that holds the library's id
    std::string user_field = {};  // likewise of the user whose token it is; "" = the page does not say it

    friend bool operator==(const Identity&, const Identity&) = default;
};

enum class ClientAuth { body, basic };
enum class TokenKind { service_account, personal };
enum class LogFormatChoice { automatic, journal, text, json };

// [service]; each key is also allowed in a library.
struct Service {
    std::string base_url;  // origin only, no trailing slash: "https://api.example.com"
    std::string auth_url;
    std::optional<std::uint32_t> requests_per_minute = 100;  // empty = rate_limit "none"
    std::string limit_group;                                 // default: the library's name
    std::uint32_t page_size = 200;
    std::string page_param = "page";
    std::string page_size_param = "page_size";
    std::string ordering_param = "ordering";
    std::uint32_t in_flight = 8;
    std::optional<Identity> identity;
    std::string introspection_path;             // "" = never ask the service about a token
    std::string revocation_path;                // "" = never ask the service to revoke a token
    std::map<std::string, std::string> params;  // sent with every request of the mirror
    std::map<std::string, std::string> headers;
    std::string proxy;
    std::string ca_file;
    Duration connect_timeout = std::chrono::seconds(10);
    Duration idle_timeout = std::chrono::seconds(60);
    Duration total_timeout = std::chrono::minutes(10);
    std::uint64_t max_body = 64u << 20;
    std::uint32_t leave = 0;       // requests a minute of the limit that are left to other programs
    std::vector<TimeSpan> quiet;   // without scheduled requests, in `timezone`
    std::string timezone = "UTC";  // of planned times
    std::string contact;
    std::string language = "en";  // of letters to owners

    friend bool operator==(const Service&, const Service&) = default;
};

// [application.NAME], or the same keys directly in a library.
struct Application {
    std::string name;  // "" when written in the library itself
    std::string client_id;
    std::optional<SecretReference> client_secret;
    ClientAuth client_auth = ClientAuth::body;
    std::string redirect_uri;
    std::vector<std::string> scopes;
    std::optional<TokenKind> token_kind;  // empty: taken from the token set, see sync::is_personal

    friend bool operator==(const Application&, const Application&) = default;
};

// Either an interval or planned local times.
struct Schedule {
    Duration interval{};                   // zero = planned times
    std::vector<std::chrono::minutes> at;  // since midnight, ascending
    Weekdays days = Weekdays().set();
    std::string timezone = "UTC";
    double splay = 0.1;  // share of the interval, 0 … 0.5

    friend bool operator==(const Schedule&, const Schedule&) = default;
};

// What the change feed records about a changed row.
enum class ChangeDetail { values, keys, none };

enum class Answers {
    list,
    whole,   // a list, all of which each answer holds: somebody vouches for that
    object,  // one row
};

// Ask for changes only: `param` = an instant returns rows whose `field` is later.
struct Incremental {
    enum class Format { datetime, date };
    std::string param;
    std::string field;
    Format format = Format::datetime;
    Duration overlap{};  // how far each pass reaches back before the last one

    friend bool operator==(const Incremental&, const Incremental&) = default;
};

// Fetch each item from its own address, too.
struct Detail {
    std::string url_field;  // member of a list's item that holds the address, or
    std::string path;       // "/…/{id}/", with members of the key in braces
    Duration refresh_within = std::chrono::hours(24 * 30);

    friend bool operator==(const Detail&, const Detail&) = default;
};

// A ledger: walked window by window; each request names its window's dates.
struct Window {
    std::string from;   // query parameters of the first instant or day of a window, and of the one after its last
    std::string to;     // "" = the service takes the beginning of a step only
    std::string field;  // member with the time of a row
    Duration step{};
    std::string since;  // a day or an instant: the beginning of the ledger
    std::string timezone = "UTC";
    Duration back = std::chrono::hours(24 * 14);  // `full` proves windows again that end within this time
    std::optional<Duration> settle_back = {};     // the same for `settle`; empty = the whole ledger

    friend bool operator==(const Window&, const Window&) = default;
};

// One list for each row of another resource: {as} in its path is replaced by that row's member `key`.
struct Parent {
    std::string resource;
    std::string key;
    std::string as;
    Position position;           // of the table
    Position resource_position;  // of the name in it

    friend bool operator==(const Parent&, const Parent&) = default;
};

struct Resource {
    std::string name;
    std::string path;  // begins with "/"; has a trailing slash if the service wants one
    Answers answers = Answers::list;
    std::string needs;  // scope, "" = none
    std::vector<std::string> key = {"id"};
    std::map<std::string, std::string> params;
    std::string ordering;  // "" = newest key first, if the service supports it
    Schedule schedule;     // of ordinary passes
    std::optional<Incremental> incremental;
    std::optional<Schedule> full;  // of passes over the whole list, if ordinary passes do not walk it
    std::optional<Window> window;
    std::optional<Parent> parent;
    std::optional<Schedule> settle;  // of windows that `full` does not reach
    std::optional<Duration> late_after;
    std::optional<Detail> detail;
    std::vector<std::string> exclude;  // members that are never stored: "created_by.email"
    bool keep_deleted = false;
    ChangeDetail changes = ChangeDetail::values;
    bool enabled = true;
    Position position;

    // Primary key of a row; in lists by parent it begins with the member that names the parent.
    std::vector<std::string> row_key() const;
    // Key of an item within one answer; empty if each list is one item.
    std::vector<std::string> own_key() const;

    friend bool operator==(const Resource&, const Resource&) = default;
};

// [changes]: how long the change feeds keep entries.
struct Changes {
    Duration keep = std::chrono::hours(24 * 90);
    std::optional<std::uint32_t> max_rows;  // in each mirror; empty = no limit

    friend bool operator==(const Changes&, const Changes&) = default;
};

// [deletions]: if more rows than this are missing at once, deletions wait for a second proven pass.
struct Deletions {
    double max_share = 0.2;       // more than this share of the table, and
    std::uint32_t min_rows = 10;  // more than this number of rows

    friend bool operator==(const Deletions&, const Deletions&) = default;
};

// One limit for libraries whose token sets are one user's. The daemon finds that out; it is never configured.
struct SharedLimit {
    std::string user;
    std::string group;                                 // the library whose limit group is used by all of them
    std::optional<std::uint32_t> requests_per_minute;  // with `leave`, the smallest one of theirs
    std::uint32_t leave = 0;
    std::uint32_t in_flight = 8;

    friend bool operator==(const SharedLimit&, const SharedLimit&) = default;
};

struct Library {
    std::string name;
    Service service;                 // merged: [service] overridden by the library
    Application application;         // merged
    std::string library_id;          // as text; "" = learned
    SharedList<Resource> resources;  // merged, in the order of the configuration, without disabled ones
    std::map<std::string, std::string> vars;
    Changes changes;      // the same in all libraries
    Deletions deletions;  // the same in all libraries
    bool paused = false;
    std::string formerly;           // its name before; token set and mirror kept under that name are its own, "" = none
    std::vector<Account> readers;   // who may read the mirror and its status; none: control.readers
    std::optional<Account> admins;  // with `readers`: control.admins, who may read the mirror, too
    std::string note;
    std::optional<Duration> snapshot_every;  // [snapshot]
    std::optional<SharedLimit> shared_limit;
    Position position;

    // The libraries with the same group share one limit.
    const std::string& limit_group() const;

    // Returns nullptr if there is no resource of this name.
    const Resource* find_resource(const std::string& resource) const;

    // Scopes to request from the owner: the application's, then those that its lists need, each once.
    std::vector<std::string> wanted_scopes() const;

    friend bool operator==(const Library&, const Library&) = default;
};

// Immutable and shared: with a thousand libraries a second copy would take megabytes.
using Libraries = std::vector<std::shared_ptr<const Library>>;
// Reuses the objects in `known` that are equal.
Libraries share(std::vector<Library> libraries, const Libraries& known = {});

struct Storage {
    std::string mirrors = "/var/lib/shelfd/mirrors";
    std::string tokens = "/var/lib/shelfd/tokens";
    std::string tokens_copy;  // "" = beside the first
    std::string machine_id;   // "" = /etc/machine-id, if there is one
    bool allow_unsafe = false;

    friend bool operator==(const Storage&, const Storage&) = default;
};

struct Control {
    std::string socket = "/run/shelfd/control.sock";
    std::string readers = "shelfd-read";
    std::string admins = "shelfd-admin";
    std::string listen;  // "127.0.0.1:9464", "" = the socket only
    bool listen_anywhere = false;
    std::optional<SecretReference> listen_token;

    friend bool operator==(const Control&, const Control&) = default;
};

struct Logging {
    std::string level = "info";  // debug, info, warning, error
    LogFormatChoice format = LogFormatChoice::automatic;

    friend bool operator==(const Logging&, const Logging&) = default;
};

struct Snapshots {
    std::optional<Duration> every;

    friend bool operator==(const Snapshots&, const Snapshots&) = default;
};

// [hooks.NAME]: who is told when something is wrong.
struct Hook {
    // Either of the two holds the value.
    struct Header {
        std::string name;
        std::string value;
        std::optional<SecretReference> secret;

        friend bool operator==(const Header&, const Header&) = default;
    };

    std::string name;
    std::vector<std::string> on = {"page", "ticket"};  // words of severities and causes; none with `on_publish` alone
    std::vector<std::string> on_publish;               // tables, "*" and "-NAME"; none: rounds do not call it
    std::vector<std::string> command;                  // program and arguments; none: `post` or `post_secret`
    std::string post;
    std::optional<SecretReference> post_secret;
    std::vector<Header> headers;
    std::string ca_file;            // certificates that `post` trusts; "" = those of the system
    std::optional<Duration> after;  // empty: depends on the cause
    Duration repeat = std::chrono::hours(4);
    Duration timeout = std::chrono::seconds(30);
    std::vector<std::string> libraries;  // none = all
    Position position;

    friend bool operator==(const Hook&, const Hook&) = default;
};

using ResourceNames = std::set<std::string, std::less<>>;

struct Configuration {
    Storage storage;
    Control control;
    Logging log;
    Changes changes;
    Deletions deletions;
    Snapshots snapshot;
    std::vector<Hook> hooks;                // in the order of the configuration
    std::vector<Library> libraries;         // in the order of the configuration
    std::vector<Application> applications;  // as written under [application.NAME], used or not
    ResourceNames resource_names;           // all that are configured, whether a library uses them or not
    Origins origins;                        // empty unless requested: large with many libraries

    const Library* find_library(const std::string& name) const;
};

}  // namespace shelfd::config
