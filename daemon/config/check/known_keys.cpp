#include "config/check/known_keys.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace shelfd::config {
namespace {

using enum KeyType;
using S = Section;

constexpr bool built = true;
constexpr bool later = false;

// Severities, then causes.
constexpr std::string_view hook_words =
    "page ticket info service network limit token_lost foreign_rotation wrong_library application refresh access_ends "
    "permission held key_drift configuration late disk journal_copy clock wal snapshot bug not_running daemon "
    "service_changed consumer_lag identity filter column_drift schedule repaired";

// clang-format off: one row on a line reads as a table
constexpr auto keys = std::to_array<KeyInfo>({
    {S::service, "base_url", origin, "", "", "origin of the service; https, or http on loopback", built},
    {S::service, "auth_url", origin, "", "base_url",
     "origin of the page where people log in; tokens are requested from base_url", built},
    {S::service, "rate_limit", rate, "1..100000", "100/min",
     "requests a minute that the service allows; \"none\" = no limit", built},
    {S::service, "limit_group", text, "", "the library",
     "libraries with the same group share one limit; rate_limit is the same in all of them", built},
    {S::service, "leave", integer, "0..99999", "0",
     "requests a minute that are left to other programs of the same user; the same in the whole limit_group", built},
    {S::service, "quiet", span_list, "", "", "local times without scheduled requests, like [\"22:00-06:00\"]", built},
    {S::service, "page_size", integer, "1..10000", "200", "items requested in one page", built},
    {S::service, "page_param", text, "", "page", "query parameter of the page number", built},
    {S::service, "page_size_param", text, "", "page_size", "query parameter of the page size", built},
    {S::service, "ordering_param", text, "", "ordering", "query parameter of the order", built},
    {S::service, "in_flight", integer, "1..64", "8", "requests in flight at the same time", built},
    {S::service, "identity", table, "", "", "cheap request that names the library of a token", built},
    {S::service, "introspection_path", route, "", "",
     "path at base_url that describes a token (RFC 7662), requested by an import", built},
    {S::service, "revocation_path", route, "", "",
     "path at base_url that revokes a token (RFC 7009), requested by library forget", built},
    {S::service, "params", text_map, "", "", "query parameters of every request", built},
    {S::service, "headers", header_map, "", "", "headers of every request; no secrets", built},
    {S::service, "proxy", proxy, "", "", "proxy to use; default: none", built},
    {S::service, "ca_file", file, "", "", "trusted certificates instead of the system's", built},
    {S::service, "connect_timeout", duration, "100ms..5m", "10s", "longest wait for a connection", built},
    {S::service, "idle_timeout", duration, "100ms..1h", "60s", "longest silence within an answer", built},
    {S::service, "total_timeout", duration, "100ms..1d", "10m", "longest time for one request", built},
    {S::service, "max_body", size, "1KiB..4GiB", "64MiB", "largest accepted answer", built},
    {S::service, "late_after", duration, "1s..366d", "three intervals, at least 30m; 2h past the next planned time",
     "age at which a table is late", built},
    {S::service, "timezone", zone, "", "UTC", "time zone of planned times", built},
    {S::service, "contact", text, "", "", "whom to ask when a person at the service is needed", built},
    {S::service, "language", text, "", "en", "language of the letters that auth ask prints: en, nl, fr, de or your own",
     built},

    {S::application, "client_id", text, "", "", "OAuth client id", built},
    {S::application, "client_secret", secret, "", "", "OAuth client secret, by reference", built},
    {S::application, "client_auth", word, "body basic", "body", "how the client authenticates to the token endpoint",
     built},
    {S::application, "redirect_uri", url, "", "base_url/auth-code/", "redirect address registered with the service",
     built},
    {S::application, "scopes", text_list, "", "", "scopes to request", built},
    {S::application, "token_kind", word, "service_account personal", "personal after auth login, else service_account",
     "whose token it is; personal requires identity", built},

    {S::resource, "path", route, "", "", "path of the list at the service; {name} is taken from the library's vars",
     built},
    {S::resource, "answers", word, "list whole object", "list", "form of the answer", built},
    {S::resource, "needs", text, "", "", "scope that the token set must have", built},
    {S::resource, "key", key, "", "id", "member that identifies an item", built},
    {S::resource, "params", text_map, "", "",
     "query parameters of this resource; {name} is taken from the library's vars", built},
    {S::resource, "ordering", text, "", "newest key first",
     "value of ordering_param; the default is omitted if the service ignores it", built},
    {S::resource, "every", duration, "1s..366d", "", "interval between two passes", built},
    {S::resource, "at", clock_list, "", "", "planned local times instead of every", built},
    {S::resource, "days", day_list, "", "every day", "weekdays of the planned times", built},
    {S::resource, "timezone", zone, "", "the service's", "time zone of the planned times", built},
    {S::resource, "splay", share, "0%..50%", "10%",
     "random share of the interval that spreads first passes; delays planned ones, at most 10m", built},
    {S::resource, "incremental", table, "", "", "request only changed items", built},
    {S::resource, "full", table, "", "every 1d with incremental or window",
     "when to walk the whole list, or recent windows again", built},
    {S::resource, "window", table, "", "", "walk a ledger by date", built},
    {S::resource, "settle", table, "", "never",
     "when to walk older windows again, with requests left over from the limit", built},
    {S::resource, "detail", table, "", "", "also fetch every item from its own address", built},
    {S::resource, "parent", table, "", "", "walk once for each row of another resource", built},
    {S::resource, "exclude", text_list, "", "", "members never stored, like \"created_by.email\"", built},
    {S::resource, "expand", text_list, "", "", "nested lists that become tables", later},
    {S::resource, "references", text_map, "", "", "members that point at another resource", later},
    {S::resource, "numbers", text_list, "", "", "texts that are numbers", later},
    {S::resource, "columns", text_map, "", "", "columns with a fixed kind", later},
    {S::resource, "history", boolean, "", "false", "keep former versions of rows", later},
    {S::resource, "keep_deleted", boolean, "", "false", "keep deleted rows in a table of their own", built},
    {S::resource, "changes", word, "values keys none", "values", "what the change feed records", built},
    {S::resource, "late_after", duration, "1s..366d", "three intervals, at least 30m; 2h past the next planned time",
     "age at which the table is late", built},
    {S::resource, "default", boolean, "", "true", "false: mirrored only by libraries that name it in resources", built},
    {S::resource, "enabled", boolean, "", "true", "whether the resource is mirrored", built},

    {S::library, "application", text, "", "", "name of the application whose credentials it uses", built},
    {S::library, "library_id", scalar, "", "learned at import", "id that identity must return", built},
    {S::library, "resources", selection, "", "all", "which resources: [\"*\", \"-sales\"]", built},
    {S::library, "vars", text_map, "", "", "values for {name} in paths and params", built},
    {S::library, "paused", boolean, "", "false", "fetch nothing, keep the token set refreshed", built},
    {S::library, "formerly", text, "", "", "its former name: the token set and the mirror kept under it are taken over",
     built},
    {S::library, "readers", text_list, "", "control.readers",
     "groups and users that may read its mirror, instead of all readers, and its status", built},
    {S::library, "note", text, "", "", "for people; shown in status", built},

    {S::storage, "mirrors", file, "", "/var/lib/shelfd/mirrors", "directory of the mirrors", built},
    {S::storage, "tokens", file, "", "/var/lib/shelfd/tokens", "directory of the token journals", built},
    {S::storage, "tokens_copy", file, "", "beside the first",
     "directory of the second copy of the journals, preferably on another device", built},
    {S::storage, "machine_id", text, "", "/etc/machine-id", "what distinguishes this machine from a clone of it",
     built},
    {S::storage, "allow_unsafe", boolean, "", "false", "accept network, FUSE, memory-only and overlay file systems",
     built},

    {S::control, "socket", file, "", "/run/shelfd/control.sock",
     "unix socket of the control interface, at most 107 bytes", built},
    {S::control, "readers", group, "", "shelfd-read", "group that may read the status", built},
    {S::control, "admins", group, "", "shelfd-admin", "group that may do everything", built},
    {S::control, "listen", listen, "", "", "address and port on which metrics can be read", built},
    {S::control, "listen_anywhere", boolean, "", "false", "allow an address that other machines can reach", built},
    {S::control, "listen_token", secret, "", "", "token that a request for metrics must have", built},

    {S::log, "level", word, "debug info warning error", "info", "least important level that is written", built},
    {S::log, "format", word, "auto journal text json", "auto",
     "form of a line; auto = journal under systemd, else text", built},

    {S::snapshot, "every", duration, "1m..366d", "", "interval between snapshots; default: never", built},
    {S::snapshot, "combined", boolean, "", "false", "also one snapshot of all libraries", later},
    {S::changes, "keep", duration, "1h..3660d", "90d", "age at which changes are removed", built},
    {S::changes, "max_rows", integer, "1000..1000000000", "", "largest number of changes kept", built},
    {S::deletions, "max_share", share, "0%..100%", "20%",
     "share of rows above which deletions wait for the next proven pass", built},
    {S::deletions, "min_rows", integer, "0..1000000", "10", "rows up to which the share does not count", built},

    {S::hooks, "on", word_list, hook_words, "page ticket", "severities and causes that call the hook", built},
    {S::hooks, "on_publish", selection, "", "", "tables whose published rounds call the hook: [\"*\", \"-sales\"]",
     built},
    {S::hooks, "command", program, "", "", "program to run, the JSON on its standard input", built},
    {S::hooks, "post", secret_url, "", "", "address to post the JSON to, itself or by reference", built},
    {S::hooks, "headers", secret_header_map, "", "", "headers of the post; secrets by reference", built},
    {S::hooks, "ca_file", file, "", "", "certificates that the post trusts instead of the system's", built},
    {S::hooks, "after", duration, "0s..30d", "depends on the cause", "how long a cause must last", built},
    {S::hooks, "repeat", duration, "1m..30d", "4h", "interval of reminders while a cause lasts", built},
    {S::hooks, "timeout", duration, "1s..10m", "30s", "longest run of the program, longest wait for an answer", built},
    {S::hooks, "libraries", text_list, "", "all", "libraries whose causes call the hook", built},

    {S::identity, "path", route, "", "", "path of the request", built},
    {S::identity, "field", text, "", "", "member with the library's id", built},
    {S::identity, "user_field", text, "", "", "member with the id of the user whose token it is", built},

    {S::incremental, "param", text, "", "", "query parameter of the filter", built},
    {S::incremental, "field", text, "", "", "member it filters by", built},
    {S::incremental, "format", word, "datetime date", "datetime", "form of its value", built},
    {S::incremental, "overlap", duration, "0s..30d", "5m; 1d with format = \"date\"", "how far each pass reaches back",
     built},
    {S::full, "every", duration, "1s..366d", "", "interval between full passes", built},
    {S::full, "at", clock_list, "", "", "planned local times of full passes", built},
    {S::full, "days", day_list, "", "every day", "weekdays of the planned times", built},
    {S::full, "timezone", zone, "", "the service's", "time zone of the planned times", built},
    {S::full, "back", duration, "1h..3660d", "14d", "how far back windows are walked again", built},
    {S::window, "from", text, "", "", "query parameter of a window's beginning", built},
    {S::window, "to", text, "", "", "query parameter of its end (exclusive); default: none, the service knows the step",
     built},
    {S::window, "field", text, "", "", "member with the time of a row", built},
    {S::window, "step", duration, "1h..366d", "", "length of a window; whole days follow the calendar", built},
    {S::window, "since", text, "", "", "day or instant at which the ledger begins", built},
    {S::window, "timezone", zone, "", "the resource's", "time zone of the days", built},
    {S::detail, "url_field", text, "", "", "member of the list's items with the item's address", built},
    {S::detail, "path", route, "", "",
     "path of an item instead; {name} is a member of the key, or of the library's vars", built},
    {S::detail, "refresh_within", duration, "1m..366d", "30d", "longest time between two requests for an item", built},
    {S::parent, "resource", text, "", "", "the other resource", built},
    {S::parent, "key", text, "", "", "member of its rows that names a list", built},
    {S::parent, "as", text, "", "", "name of that member in path and rows", built},
});
// clang-format on

}  // namespace

std::span<const KeyInfo> known_keys()
{
    return keys;
}

const KeyInfo* find_key(Section section, std::string_view name)
{
    const auto* const found = std::find_if(
        keys.begin(), keys.end(), [&](const KeyInfo& info) { return info.section == section && info.name == name; });
    return found == keys.end() ? nullptr : found;
}

std::string_view to_string(Section section)
{
    switch (section) {
    case S::service: return "service";
    case S::application: return "application";
    case S::resource: return "resource";
    case S::library: return "library";
    case S::storage: return "storage";
    case S::control: return "control";
    case S::log: return "log";
    case S::snapshot: return "snapshot";
    case S::changes: return "changes";
    case S::deletions: return "deletions";
    case S::hooks: return "hooks";
    case S::identity: return "identity";
    case S::incremental: return "incremental";
    case S::full: return "full";
    case S::window: return "window";
    case S::detail: return "detail";
    case S::parent: return "parent";
    }
    std::abort();
}

std::string_view heading(Section section)
{
    switch (section) {
    case S::application: return "[application.NAME]";
    case S::resource: return "[resource.NAME]";
    case S::library: return "[library.NAME]";
    case S::hooks: return "[hooks.NAME]";
    case S::service: return "[service]";
    case S::storage: return "[storage]";
    case S::control: return "[control]";
    case S::log: return "[log]";
    case S::snapshot: return "[snapshot]";
    case S::changes: return "[changes]";
    case S::deletions: return "[deletions]";
    default: return to_string(section);
    }
}

}  // namespace shelfd::config
