#include "ctl/setup/user_unit.hpp"

#include "ctl/context/user_mode.hpp"
#include "support/catch.hpp"
#include "support/temp_directory.hpp"

namespace shelfd::ctl {
namespace {

bool holds(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

TEST_CASE("the unit for a user starts the programs and the configuration that it was written for")
{
    const auto text = user_unit_text({"/h/ada/build/shelfd", "/h/ada/build/shelfctl"}, "/h/ada/.config/x.toml");
    CHECK(text.find("\nRuntimeDirectory=shelfd\n") != std::string::npos);
    CHECK(user_unit_text({"/b/shelfd", "/b/shelfctl"}, "/h/x.toml", "shelfd-0a1b2c3d")
              .find("\nRuntimeDirectory=shelfd-0a1b2c3d\n") != std::string::npos);
    CHECK(holds(text, "\nExecStart=/h/ada/build/shelfd --config /h/ada/.config/x.toml\n"));
    CHECK(holds(text, "\nExecReload=/h/ada/build/shelfctl --config /h/ada/.config/x.toml reload\n"));
    CHECK(holds(text, "\nConditionPathExists=/h/ada/.config/x.toml\n"));
    CHECK(holds(text, "\nRestartPreventExitStatus=64 77 78\n"));
    CHECK(holds(text, "\nWantedBy=default.target\n"));
    CHECK_FALSE(holds(text, "@"));
    CHECK_FALSE(holds(text, "%E"));
    CHECK_FALSE(holds(text, "Documentation="));
    TempDirectory directory;
    write_file(directory / "shelfd.service", text);
    CHECK(unit_starts(directory / "shelfd.service", "/h/ada/.config/x.toml", {}));
    CHECK_FALSE(unit_starts(directory / "shelfd.service", "/h/ada/.config/y.toml", {}));
}

TEST_CASE("odd paths are words of a command line, and text of a condition")
{
    const auto text = user_unit_text({"/my builds/shelfd", "/50%/shelfctl"}, "/h/$a \"b\"/x.toml");
    CHECK(holds(text, "\nExecStart=\"/my builds/shelfd\" --config \"/h/$$a \\\"b\\\"/x.toml\"\n"));
    CHECK(holds(text, "\nExecReload=/50%%/shelfctl --config "));
    CHECK(holds(text, "\nConditionPathExists=/h/$a \"b\"/x.toml\n"));
}

}  // namespace
}  // namespace shelfd::ctl
