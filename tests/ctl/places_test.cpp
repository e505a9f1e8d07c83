#include "ctl/places.hpp"

#include "support/catch.hpp"
#include "support/temp_directory.hpp"

namespace shelfd::ctl {
namespace {

TEST_CASE("the socket is the one named, else the environment's, else the configured, else the usual one")
{
    const TempDirectory directory;
    write_file(directory / "good.toml",
               "[control]\nsocket = \"/c/${NAME}.sock\"\n[storage]\nmirrors = \"/c/mirrors\"\n");
    write_file(directory / "faulty.toml", "[control]\nsocket = \"/f/s\"\nwrong = 3\n[storage]\nmirrors = \"/f/m\"\n");
    write_file(directory / "broken.toml",
               "[storage] # comment\n  mirrors = \"/b/m\"\n[control]\nsocket=\"/b/s\"\n[x\n");
    write_file(directory / "empty.toml", "");
    struct Row {
        const char* name;
        const char* file;
        std::string option;
        Environment environment;
        std::string socket;
        std::string mirrors;
    };
    const std::string usual = "/run/shelfd/control.sock";
    const std::string usual_mirrors = "/var/lib/shelfd/mirrors";
    for (const auto& row : {
             Row{"named", "good.toml", "/o/s", {{"SHELFD_SOCKET", "/e/s"}, {"NAME", "n"}}, "/o/s", "/c/mirrors"},
             Row{"environment", "good.toml", "", {{"SHELFD_SOCKET", "/e/s"}, {"NAME", "n"}}, "/e/s", "/c/mirrors"},
             Row{"configured", "good.toml", "", {{"SHELFD_SOCKET", ""}, {"NAME", "n"}}, "/c/n.sock", "/c/mirrors"},
             Row{"a fault of meaning elsewhere", "faulty.toml", "", {}, "/f/s", "/f/m"},
             Row{"a fault of syntax further down", "broken.toml", "", {}, "/b/s", "/b/m"},
             Row{"nothing configured", "empty.toml", "", {}, usual, usual_mirrors},
             Row{"no file", "absent.toml", "", {}, usual, usual_mirrors},
         }) {
        INFO(row.name);
        Command command;
        command.config_file = directory / row.file;
        command.socket = row.option;
        const auto places = find_places(command, row.environment);
        CHECK(places.socket == row.socket);
        CHECK(places.mirrors == row.mirrors);
    }
}

}  // namespace
}  // namespace shelfd::ctl
