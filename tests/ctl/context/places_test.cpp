#include "ctl/context/places.hpp"

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

TEST_CASE("a file that --config names and that does not tell leads to no other daemon, and to none of its mirrors")
{
    const TempDirectory directory;
    write_file(directory / "broken.toml", "[service]\nbase_url = \"https://\n");
    write_file(directory / "told.toml", "[storage]\nmirrors = \"/b/m\"\n[control]\nsocket=\"/b/s\"\n[x\n");
    write_file(directory / "unset.toml", "[storage]\nmirrors = \"${NOWHERE}/m\"\n[control]\nsocket = 3\n");
    write_file(directory / "silent.toml", "[service]\nbase_url = \"https://a.example\"\n");
    struct Row {
        const char* name;
        std::string file;
        Verb verb;
        std::string socket_option;
        std::string said;  // "" = nothing
    };
    const std::string usual = Command().config_file;
    for (const auto& row : {
             Row{"misspelt", directory / "stagng.toml", Verb::status, "",
                 "; so it does not say where its daemon listens: correct the file, or name another with --config"},
             Row{"misspelt", directory / "stagng.toml", Verb::auth_forget, "", "where its daemon listens"},
             Row{"misspelt", directory / "stagng.toml", Verb::sql, "", "where its mirrors are"},
             Row{"misspelt, socket named", directory / "stagng.toml", Verb::status, "/o/s", ""},
             Row{"misspelt, socket named", directory / "stagng.toml", Verb::sql, "/o/s", "where its mirrors are"},
             Row{"broken", directory / "broken.toml", Verb::reload, "", "broken.toml:2:"},
             Row{"broken, and tells before that", directory / "told.toml", Verb::reload, "", ""},
             Row{"broken, and tells before that", directory / "told.toml", Verb::changes, "", ""},
             Row{"unset variable", directory / "unset.toml", Verb::schema, "", "NOWHERE"},
             Row{"no text", directory / "unset.toml", Verb::sync, "", "where its daemon listens"},
             Row{"the usual places", directory / "silent.toml", Verb::sync, "", ""},
             Row{"the usual file", usual, Verb::sync, "", ""},
             Row{"says so itself", directory / "broken.toml", Verb::config_check, "", ""},
             Row{"needs none", directory / "broken.toml", Verb::version, "", ""},
         }) {
        INFO(row.name << ", verb " << static_cast<int>(row.verb));
        Command command;
        command.config_file = row.file;
        command.socket = row.socket_option;
        command.verb = row.verb;
        const auto checked = check_places(command, {});
        CHECK(!checked == !row.said.empty());
        if (!checked) {
            INFO(checked.error().text());
            CHECK(checked.error().kind() == ErrorKind::config);
            CHECK(checked.error().text().find(row.said) != std::string::npos);
        }
    }
}

}  // namespace
}  // namespace shelfd::ctl
