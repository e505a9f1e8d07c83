#include "app/configuration/effective_configuration.hpp"

#include "support/catch.hpp"
#include "support/simulated_clock.hpp"
#include "support/temp_directory.hpp"

#include <boost/asio/io_context.hpp>
#include <fmt/format.h>

namespace shelfd::app {
namespace {

const Instant started = Instant::from_seconds(1'704'520'800);

// A configuration on disk that tests change, and the same as it is in effect.
class Bench {
public:
    Bench()
    {
        write_file(directory_ / "secret", "s");
        write("recipes", directory_ / "mirrors");
        auto loaded = config::load(file(), {});
        REQUIRE(loaded.configuration);
        configuration.emplace(file(), config::Environment(), std::move(*loaded.configuration), started);
    }

    std::string file() const { return directory_ / "shelfd.toml"; }
    void write(const std::string& resource, const std::string& mirrors)
    {
        write_file(file(), fmt::format(R"(
[storage]
mirrors = "{}"
tokens = "{}"

[library.antwerp]
base_url = "https://api.example.com"
client_id = "client"
client_secret = {{ file = "{}" }}

[resource.{}]
path = "/api/v2/library/recipes/"
every = "15m"
)",
                                       mirrors, directory_ / "tokens", directory_ / "secret", resource));
    }
    void append(const std::string& text) { write_file(file(), read_file(file()) + text); }
    void break_file() { write_file(file(), "[storage\n"); }
    std::string mirrors() const { return directory_ / "mirrors"; }
    Result<EffectiveConfiguration::Next> read_again() { return clock_.run(configuration->read_again(Lane())); }

    std::optional<EffectiveConfiguration> configuration;

private:
    TempDirectory directory_;
    asio::io_context loop_;
    SimulatedClock clock_{loop_};
};

TEST_CASE("a configuration that was read again takes effect when it is adopted, whole")
{
    Bench bench;
    auto& configuration = *bench.configuration;
    bench.write("stock", bench.mirrors());
    auto next = bench.read_again();
    REQUIRE(next);
    CHECK(configuration.libraries().front()->resources.front().name == "recipes");
    CHECK(configuration.loaded_at() == started);
    configuration.adopt(std::move(*next), started + std::chrono::hours(1));
    CHECK(configuration.libraries().front()->resources.front().name == "stock");
    CHECK(configuration.settings().resource_names.count("stock") == 1);
    CHECK(configuration.loaded_at() == started + std::chrono::hours(1));
}

TEST_CASE("a library that did not change is shared with the configuration in effect")
{
    Bench bench;
    const auto next = bench.read_again();
    REQUIRE(next);
    CHECK(next->libraries.front() == bench.configuration->libraries().front());
}

TEST_CASE("a file with faults is refused, with each of them, and so is a change that needs a restart")
{
    Bench bench;
    bench.break_file();
    const auto broken = bench.read_again();
    REQUIRE_FALSE(broken);
    CHECK(broken.error().kind() == ErrorKind::config);
    CHECK(broken.error().text().find("shelfd.toml:1:") != std::string::npos);
    bench.write("recipes", "/elsewhere");
    const auto moved = bench.read_again();
    REQUIRE_FALSE(moved);
    CHECK(moved.error().kind() == ErrorKind::config);
    CHECK(moved.error().text().find("storage.mirrors") != std::string::npos);
}

TEST_CASE("control.listen may change while the daemon runs, the control socket may not")
{
    Bench bench;
    bench.append("[control]\nlisten = \"127.0.0.1:9464\"\n");
    auto next = bench.read_again();
    REQUIRE(next);
    CHECK(next->settings.control.listen == "127.0.0.1:9464");
    bench.append("socket = \"/run/elsewhere.sock\"\n");
    const auto refused = bench.read_again();
    REQUIRE_FALSE(refused);
    CHECK(refused.error().text().find("control.socket cannot change") != std::string::npos);
}

TEST_CASE("a reload that was refused is a notice until one is not; bad secrets of the start are one until then")
{
    Bench bench;
    auto& configuration = *bench.configuration;
    configuration.record_bad_secrets({{ErrorKind::config, {"no secret", "write it", started}}});
    configuration.record_refusal(Error(ErrorKind::config, "x.toml:3:1: unknown key"), started);
    REQUIRE(configuration.notices().size() == 2);
    CHECK(configuration.notices()[0].text == "no secret");
    CHECK(configuration.notices()[1].text == "the last reload was refused: x.toml:3:1: unknown key");
    CHECK(configuration.notices()[1].do_this.find("shelfctl config check") != std::string::npos);
    auto next = bench.read_again();
    REQUIRE(next);
    configuration.adopt(std::move(*next), started);
    configuration.record_refusal(std::nullopt, started);
    CHECK(configuration.notices().empty());
}

}  // namespace
}  // namespace shelfd::app
