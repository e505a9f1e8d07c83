// What a configuration names and this machine no longer has: a fault for who checks it, no reason not to start.
#include "config/files.hpp"
#include "config/load.hpp"
#include "support/catch.hpp"

using namespace shelfd;
using namespace shelfd::config;
using test::ConfigFiles;

namespace {

struct Row {
    const char* name;
    const char* text;
    const char* says;
    bool is_warned_of;  // at the start
};

const Row rows[] = {
    {"a time zone", "timezone = \"Europe/Atlantis\"\nclient_secret = { command = [\"/bin/true\"] }\n",
     "timezone \"Europe/Atlantis\" is unknown on this machine", true},
    {"trusted certificates", "ca_file = \"/nonexistent/ca.pem\"\nclient_secret = { command = [\"/bin/true\"] }\n",
     "/nonexistent/ca.pem: ", true},
    // The daemon tries each secret itself and shows the one that fails.
    {"the program of a secret", "client_secret = { command = [\"/nonexistent/pass\"] }\n",
     "/nonexistent/pass: No such file", false},
    {"the program of a hook",
     "client_secret = { command = [\"/bin/true\"] }\n[hooks.h]\ncommand = [\"/nonexistent/page\"]\n",
     "/nonexistent/page: No such file", true},
};

std::string all_of(const std::vector<Fault>& faults)
{
    std::string text;
    for (const auto& fault : faults) {
        text += to_text(fault) + "\n";
    }
    return text;
}

}  // namespace

TEST_CASE("what this machine lacks is refused by a check and by a reload, and a warning at the start of the daemon")
{
    for (const auto& row : rows) {
        INFO(row.name);
        const ConfigFiles files("[library.l]\nbase_url = \"https://l.example.com\"\nclient_id = \"l\"\n" +
                                std::string(row.text) + "[resource.r]\npath = \"/r/\"\nevery = \"1h\"\n" +
                                test::good_library);
        for (const auto secrets : {Secrets::as_anybody, Secrets::usable}) {
            const auto checked = load(files.path("shelfd.toml"), {{"SET", "value"}}, KeepOrigins::no, secrets);
            CHECK_FALSE(checked.configuration);
            INFO(all_of(checked.faults));
            REQUIRE(checked.faults.size() == 1);
            CHECK(checked.faults[0].text.find(row.says) != std::string::npos);
        }
        const auto started = load(files.path("shelfd.toml"), {{"SET", "value"}}, KeepOrigins::no, Secrets::not_now);
        INFO(all_of(started.faults));
        CHECK(started.configuration.has_value());
        CHECK((all_of(started.warnings).find(row.says) != std::string::npos) == row.is_warned_of);
    }
}
