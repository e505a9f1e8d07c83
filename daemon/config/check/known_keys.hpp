// The configuration's interface as one table: every key, its values, its default, and its meaning.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace shelfd::config {

// Kinds of tables. Keys of `service` and `application` are also allowed in a library; keys of `resource` in [defaults]
// and in [library.NAME.resource.NAME]. The last six are tables inside a value.
enum class Section {
    service,
    application,
    resource,
    library,
    storage,
    control,
    log,
    snapshot,
    changes,
    deletions,
    hooks,
    identity,
    incremental,
    full,
    window,
    detail,
    parent,
};

// Types of values. Each has one checker in value_check.cpp.
enum class KeyType {
    text,  // a string
    word,  // one of `range`, separated by spaces
    word_list,
    integer,  // `range` "1..100"
    boolean,
    duration,  // "15m"; `range` "1s..366d"
    size,      // "64MiB"; `range` likewise
    share,     // "10%"; `range` likewise
    rate,      // "100/min" or "none"; `range` of the number
    origin,    // "https://host[:port]"
    url,       // absolute, https
    proxy,     // "http://host:port", "socks5h://host:port"
    route,     // path at the service
    listen,    // "127.0.0.1:9464", "[::1]:9464"
    file,      // absolute path on this machine
    group,     // name of a user group
    scalar,    // a string or an integer, kept as text
    text_list,
    text_map,  // table of strings, integers and booleans, kept as text
    header_map,
    key,                // column, or a list of columns
    selection,          // list of resource names, "*" and "-name"
    clock_list,         // list of "HH:MM"
    span_list,          // list of "HH:MM-HH:MM"
    day_list,           // list of "mon" … "sun"
    zone,               // name of a time zone
    secret,             // { file = "…" }, { credential = "…" } or { command = ["…"] }
    secret_url,         // a url, or a secret that is one
    secret_header_map,  // table of strings and secrets
    program,            // list: absolute path of a program, then its arguments
    table,              // a table whose keys are a section of their own
};

// The texts live as long as the program.
struct KeyInfo {
    Section section;
    std::string_view name;
    KeyType type;
    std::string_view range;         // "" if the type says everything
    std::string_view default_text;  // "" = none: the key is required, or `meaning` explains its absence
    std::string_view meaning;       // a short phrase for people
    bool supported;                 // false: known, but refused as "not supported yet"
};

std::span<const KeyInfo> known_keys();

// Returns nullptr if the section has no such key.
const KeyInfo* find_key(Section section, std::string_view name);

// "service", "resource", …: as in the heading of the table.
std::string_view to_string(Section section);
// The heading to write for the section: "[resource.NAME]".
std::string_view heading(Section section);

}  // namespace shelfd::config
