#include "ctl/setup/installation.hpp"

#include "support/catch.hpp"
#include "support/temp_directory.hpp"

#include <filesystem>

namespace shelfd::ctl {
namespace {

bool holds(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

struct Place {
    Place()
    {
        places.config_file = directory / "b.toml";
        places.mirrors = directory / "mirrors";
        places.tokens = directory / "tokens";
    }
    Result<void> check() const { return check_vacant(places, {places.lists_file()}); }

    TempDirectory directory;
    InstallationPlaces places;
};

TEST_CASE("a second configuration in one directory is refused before its files are, and another place is named")
{
    const Place place;
    const auto first = place.directory / "a.toml";
    write_file(first, "[service]\nbase_url = \"https://api.example.com\"\n");
    std::filesystem::create_directory(place.directory / "conf.d");
    write_file(place.directory / "conf.d/lists.toml", "[resource.r]\npath = \"/r/\"\n");
    const auto refused = place.check();
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind() == ErrorKind::usage);
    CHECK(holds(refused.error().text(), first + " already uses this directory"));
    CHECK(holds(refused.error().text(), "--config " + (place.directory / "b/shelfd.toml")));
    CHECK(holds(refused.error().text(), "mv " + first + " " + first + ".old"));
    CHECK_FALSE(holds(refused.error().text(), "lists.toml"));
    // Out of use as it says.
    std::filesystem::rename(first, first + ".old");
    std::filesystem::remove(place.directory / "conf.d/lists.toml");
    CHECK(place.check());
}

TEST_CASE("files that are no configuration of shelfd keep nobody from one beside them")
{
    const Place place;
    write_file(place.directory / "pyproject.toml", "[project]\nname = \"x\"\n[service]\nport = 1\n");
    write_file(place.directory / "found.toml", "[resource.r]\npath = \"/r/\"\n");
    write_file(place.directory / "broken.toml", "[service\nbase_url = ");
    write_file(place.directory / "notes.txt", "[service]\nbase_url = \"https://api.example.com\"\n");
    std::filesystem::create_directory(place.directory / "folder.toml");
    CHECK(place.check());
}

}  // namespace
}  // namespace shelfd::ctl
