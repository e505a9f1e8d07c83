#include "house/floors.hpp"

namespace shelfd::house {

const std::vector<Floor>& floors()
{
    static const std::vector<Floor> table = {
        {0, "base", {}, {}, {"words", "state", "", "accounts"}},
        {1, "runtime", {"base"}, {"spdlog", "libsystemd"}, {"async", "log", ""}},
        {1, "config", {"base"}, {"toml++"}, {"model", "tree", "edit", "secrets", "check", "bind", ""}},
        {1, "storage", {"base"}, {"sqlite3", "libacl"}, {"", "access"}},
        {1, "schedule", {"base"}, {"date"}},
        {2, "http", {"base", "runtime"}, {"libcurl"}, {"", "answer", "curl"}},
        {2, "budget", {"base", "runtime"}, {}},
        {3,
         "oauth",
         {"base", "runtime", "storage", "http", "budget"},
         {"Boost.JSON", "zlib"},
         {"set", "endpoint", "machine", "journal", "stored", "exchange", "status", "intake", "keeper"}},
        {3,
         "mirror",
         {"base", "runtime", "storage"},
         {"simdjson"},
         {"values", "json", "access", "file", "columns", "records", "rows", "details", "staging", "deletions", "lists",
          "declare", "publish", ""}},
        {4,
         "sync",
         {"base", "runtime", "config", "schedule", "http", "budget", "oauth", "mirror"},
         {"simdjson"},
         {"service", "plan", "trouble", "library", "walk", "pass", "rounds", "details", "discovery", "inquiry",
          "worker"}},
        {5,
         "control",
         {"base", "runtime"},
         {"Beast", "Boost.JSON"},
         {"model", "causes", "hooks", "metrics", "api", "server"}},
        {6,
         "app",
         {"base", "runtime", "config", "storage", "http", "budget", "oauth", "mirror", "sync", "control"},
         {},
         {"host", "upgrade", "services", "stores", "alerts", "library", "configuration", "pace", "report", "operations",
          ""}},
        {6,
         "ctl",
         {"base", "runtime", "config", "storage", "schedule", "http", "control/model"},
         {"CLI11", "Boost.JSON"},
         {"line", "screen", "context", "daemon", "status", "pages", "comparison", "mirror", "login", "moves", "plan",
          "survey", "doctor", "bugreport", "verb", "library", "start", "setup", ""}},
    };
    return table;
}

const std::vector<OutsideLibrary>& outside_libraries()
{
    static const std::vector<OutsideLibrary> table = {
        {"spdlog", "spdlog/", true},        {"libsystemd", "systemd/", false},
        {"toml++", "toml++/", true},        {"sqlite3", "sqlite3.h", false},
        {"date", "date/", false},           {"libcurl", "curl/", false},
        {"Boost.JSON", "boost/json", true}, {"simdjson", "simdjson", true},
        {"Beast", "boost/beast", true},     {"CLI11", "CLI/", true},
        {"libacl", "acl/", false},          {"libacl", "sys/acl.h", false},
        {"zlib", "zlib.h", true},
    };
    return table;
}

}  // namespace shelfd::house
