#include "ctl/setup/user_places.hpp"

#include "ctl/context/user_mode.hpp"
#include "support/catch.hpp"

namespace shelfd::ctl {
namespace {

TEST_CASE("root configures the system; a user, or root with --config, private directories")
{
    const Environment home{{"HOME", "/h/ada"}, {"XDG_RUNTIME_DIR", "/run/user/7"}};
    Command command;
    const auto system = find_installation(command, home, true);
    REQUIRE(system);
    CHECK(system->of_system);
    CHECK(system->config_file == "/etc/shelfd/shelfd.toml");
    CHECK(system->tokens == "/var/lib/shelfd/tokens");
    const auto user = find_installation(command, home, false);
    REQUIRE(user);
    CHECK_FALSE(user->of_system);
    CHECK(user->config_file == "/h/ada/.config/shelfd/shelfd.toml");
    CHECK(user->directory() == "/h/ada/.config/shelfd");
    CHECK(user->mirrors == "/h/ada/.local/state/shelfd/mirrors");
    CHECK(user->socket == "/run/user/7/shelfd/control.sock");
}

TEST_CASE("a configuration elsewhere has all its directories beside it, whoever writes it")
{
    const Environment home{{"HOME", "/h/ada"}, {"XDG_RUNTIME_DIR", "/run/user/7"}};
    Command command;
    command.config_file = "/srv/kitchen/shelfd.toml";
    for (const bool is_root : {false, true}) {
        const auto places = find_installation(command, home, is_root);
        REQUIRE(places);
        CHECK_FALSE(places->of_system);
        CHECK(places->config_file == "/srv/kitchen/shelfd.toml");
        CHECK(places->mirrors == "/srv/kitchen/mirrors");
        CHECK(places->tokens == "/srv/kitchen/tokens");
        CHECK(places->socket.starts_with("/run/user/7/shelfd-"));
        CHECK(places->socket.ends_with("/control.sock"));
        CHECK(find_installation(command, {}, is_root)->tokens == "/srv/kitchen/tokens");
        CHECK(find_installation(command, {}, is_root)->socket == "/srv/kitchen/control.sock");
        auto other = command;
        other.config_file = "/srv/kitchen2/shelfd.toml";
        CHECK(find_installation(other, home, is_root)->socket != places->socket);
    }
    command.config_file = "/h/ada/.config/shelfd/shelfd.toml";
    CHECK(find_installation(command, home, false)->tokens == "/h/ada/.local/state/shelfd/tokens");
}

TEST_CASE("root configures a further instance as its unit expects it")
{
    const Environment home{{"HOME", "/root"}};
    Command command;
    command.config_file = "/etc/shelfd/two/shelfd.toml";
    const auto places = find_installation(command, home, true);
    REQUIRE(places);
    CHECK(places->of_system);
    CHECK(places->unit == "shelfd@two");
    CHECK(places->state == "/var/lib/shelfd-two");
    CHECK(places->mirrors == "/var/lib/shelfd-two/mirrors");
    CHECK(places->tokens == "/var/lib/shelfd-two/tokens");
    CHECK(places->socket == "/run/shelfd-two/control.sock");
    CHECK_FALSE(find_installation(command, home, false)->of_system);
    for (const auto* other : {"/etc/shelfd/two-b/shelfd.toml", "/etc/shelfd/two/other.toml", "/etc/two/shelfd.toml"}) {
        command.config_file = other;
        CHECK_FALSE(find_installation(command, home, true)->of_system);
    }
}

TEST_CASE("the XDG directories are used where they are absolute")
{
    const Environment environment{
        {"HOME", "/h/ada"}, {"XDG_CONFIG_HOME", "/c"}, {"XDG_STATE_HOME", "relative"}, {"XDG_RUNTIME_DIR", ""}};
    const auto places = find_installation(Command(), environment, false);
    REQUIRE(places);
    CHECK(places->config_file == "/c/shelfd/shelfd.toml");
    CHECK(places->tokens == "/h/ada/.local/state/shelfd/tokens");
    CHECK(places->socket == "/h/ada/.local/state/shelfd/control.sock");
    CHECK(user_config_file({}).empty());
    const auto nowhere = find_installation(Command(), {}, false);
    REQUIRE_FALSE(nowhere);
    CHECK(nowhere.error().text().find("HOME is not set") != std::string::npos);
}

}  // namespace
}  // namespace shelfd::ctl
