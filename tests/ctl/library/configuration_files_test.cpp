#include "ctl/library/configuration_files.hpp"

#include "ctl/verb_bench.hpp"
#include "support/catch.hpp"

#include <filesystem>

namespace shelfd::ctl {
namespace {

constexpr const char* configured = R"([service]
base_url = "https://api.example.com"

[resource.recipes]
path  = "/api/v2/library/recipes/"
needs = "library"
every = "15m"

[library.antwerp]
client_id     = "abc"
client_secret = { command = ["/bin/true"] }
)";

TEST_CASE("the file that a link names is changed, and the link stays one")
{
    VerbBench bench;
    std::filesystem::create_directory(bench.directory / "shared");
    const auto real = bench.directory / "shared/shelfd.toml";
    write_file(real, configured);
    std::filesystem::create_symlink(real, bench.command.config_file);
    const auto context = bench.context();
    auto files = ConfigurationFiles::read(context);
    REQUIRE(files);
    REQUIRE(files->edit("antwerp", [](const std::string& text, const std::string&) -> Result<std::string> {
        return text + "paused = true\n";
    }));
    REQUIRE(files->check_rights());
    REQUIRE(files->write());
    CHECK(std::filesystem::is_symlink(bench.command.config_file));
    CHECK(read_file(real) == configured + std::string("paused = true\n"));
    REQUIRE(files->take_back());
    CHECK(std::filesystem::is_symlink(bench.command.config_file));
    CHECK(read_file(real) == configured);
}

}  // namespace
}  // namespace shelfd::ctl
