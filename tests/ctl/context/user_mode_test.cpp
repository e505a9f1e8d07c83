#include "ctl/context/user_mode.hpp"

#include "support/catch.hpp"
#include "support/temp_directory.hpp"

#include <algorithm>
#include <filesystem>

namespace shelfd::ctl {
namespace {

namespace fs = std::filesystem;

TEST_CASE("units of a user are looked for where systemd does, a user's own before those of the machine")
{
    const auto places = user_unit_directories(
        {{"HOME", "/h/ada"}, {"XDG_RUNTIME_DIR", "/run/user/7"}, {"XDG_DATA_DIRS", "/opt/share:relative:/usr/share"}});
    const auto at = [&](const std::string& place) {
        const auto found = std::find(places.begin(), places.end(), place);
        CAPTURE(place);
        REQUIRE(found != places.end());
        return found - places.begin();
    };
    CHECK(at("/h/ada/.config/systemd/user") < at("/etc/systemd/user"));
    CHECK(at("/etc/systemd/user") < at("/run/user/7/systemd/user"));
    CHECK(at("/h/ada/.local/share/systemd/user") < at("/opt/share/systemd/user"));
    CHECK(at("/opt/share/systemd/user") < at("/usr/lib/systemd/user"));
    CHECK(at("/etc/xdg/systemd/user") > 0);
    CHECK(std::all_of(places.begin(), places.end(), [](const auto& one) { return one.starts_with('/'); }));
    CHECK(own_unit_directory({{"HOME", "/h/ada"}, {"XDG_CONFIG_HOME", "/c"}}) == "/c/systemd/user");
    CHECK(own_unit_directory({}).empty());
}

TEST_CASE("who has no root is not told to start the daemon of the system, unless its socket is meant")
{
    CHECK(start_command("/run/shelfd/control.sock", 1000) == "sudo systemctl start shelfd");
    CHECK(start_command("/run/user/1000/shelfd/control.sock", 1000) == "systemctl --user start shelfd");
    CHECK(start_command("/h/ada/.local/state/shelfd/control.sock", 1000)
              .starts_with("systemctl --user start shelfd, or"));
    CHECK(start_command("/h/ada/.local/state/shelfd/control.sock", 0) ==
          "sudo systemctl start shelfd, or in the foreground: shelfd --config FILE");
    CHECK(start_command("/h/ada/x/control.sock", 1000, "/h/ada/x/my shelfd.toml") ==
          "shelfd --config '/h/ada/x/my shelfd.toml'");
    CHECK(start_command("/run/user/1000/shelfd-0123456789abcdef/control.sock", 1000, "/h/ada/x/a.toml") ==
          "shelfd --config /h/ada/x/a.toml");
    CHECK(start_command("/run/user/1000/shelfd/control.sock", 1000, "/h/ada/.config/shelfd/shelfd.toml") ==
          "systemctl --user start shelfd");
    CHECK(start_command("/run/shelfd/control.sock", 0, "/etc/shelfd/shelfd.toml") == "sudo systemctl start shelfd");
    CHECK(log_command("/h/ada/x/control.sock", 1000) == "journalctl --user -u shelfd");
    CHECK(log_command("/run/shelfd/control.sock", 1000) == "journalctl -u shelfd");
}

TEST_CASE("the first unit counts, also one that is masked by a link, and only the one of this configuration starts it")
{
    TempDirectory directory;
    fs::create_directories(directory / "a");
    fs::create_directories(directory / "b");
    const std::vector<std::string> places = {directory / "none", directory / "a", directory / "b"};
    CHECK(find_unit(places).empty());
    write_file(directory / "b/shelfd.service",
               "[Service]\nExecStart=/usr/sbin/shelfd --config %E/shelfd/shelfd.toml\n");
    CHECK(find_unit(places) == directory / "b/shelfd.service");
    const Environment ada{{"HOME", "/h/ada"}};
    CHECK(unit_starts(find_unit(places), "/h/ada/.config/shelfd/shelfd.toml", ada));
    CHECK_FALSE(unit_starts(find_unit(places), "/srv/shelfd.toml", ada));
    fs::create_symlink("/dev/null", directory / "a/shelfd.service");
    CHECK(find_unit(places) == directory / "a/shelfd.service");
    CHECK_FALSE(unit_starts(find_unit(places), "/h/ada/.config/shelfd/shelfd.toml", ada));
}

TEST_CASE("a manager of the user is there where systemctl --user would reach it")
{
    TempDirectory directory;
    CHECK_FALSE(has_user_manager({}));
    CHECK_FALSE(has_user_manager({{"XDG_RUNTIME_DIR", directory.path()}}));
    fs::create_directories(directory / "systemd");
    write_file(directory / "systemd/private", "");
    CHECK(has_user_manager({{"XDG_RUNTIME_DIR", directory.path()}}));
}

}  // namespace
}  // namespace shelfd::ctl
