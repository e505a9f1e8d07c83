#include "house/floors.hpp"

namespace shelfd::house {

const std::vector<Floor>& floors()
{
    static const std::vector<Floor> table = {
        {0, "base", {}, {}},
        {1, "runtime", {"base"}, {"spdlog", "libsystemd"}},
        {1, "config", {"base"}, {"toml++"}},
        {1, "storage", {"base"}, {"sqlite3"}},
        {1, "schedule", {"base"}, {"date"}},
        {2, "http", {"base", "runtime"}, {"libcurl"}},
        {2, "budget", {"base", "runtime"}, {}},
        {3, "oauth", {"base", "runtime", "storage", "http", "budget"}, {"Boost.JSON"}},
        {3, "mirror", {"base", "runtime", "storage"}, {"simdjson"}},
        {4,
         "sync",
         {"base", "runtime", "config", "storage", "schedule", "http", "budget", "oauth", "mirror"},
         {"simdjson"}},
        {5,
         "control",
         {"base", "runtime", "config", "storage", "schedule", "http", "budget", "oauth", "mirror", "sync"},
         {"Beast", "Boost.JSON"}},
        {6,
         "app",
         {"base", "runtime", "config", "storage", "schedule", "http", "budget", "oauth", "mirror", "sync", "control"},
         {}},
        {6, "ctl", {"base", "runtime", "config", "storage", "schedule", "http"}, {"CLI11", "Boost.JSON"}},
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
    };
    return table;
}

}  // namespace shelfd::house
