#include "ctl/library/configuration_files.hpp"

#include "ctl/library/configuration_lock.hpp"
#include "ctl/library/library_verbs.hpp"
#include "ctl/socket_server.hpp"
#include "ctl/verb_bench.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <thread>
#include <vector>

namespace shelfd::ctl {
namespace {

TEST_CASE("the file that a link names is changed, and the link stays one")
{
    VerbBench bench;
    std::filesystem::create_directory(bench.directory / "shared");
    const auto real = bench.directory / "shared/shelfd.toml";
    write_file(real, configuration_of_antwerp);
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
    CHECK(read_file(real) == configuration_of_antwerp + std::string("paused = true\n"));
    REQUIRE(files->take_back());
    CHECK(std::filesystem::is_symlink(bench.command.config_file));
    CHECK(read_file(real) == configuration_of_antwerp);
}

bool holds(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

ConfigurationFiles::Edit appended(const std::string& line)
{
    return [line](const std::string& text, const std::string&) -> Result<std::string> { return text + line; };
}

TEST_CASE("of programs that change one configuration at the same time, each finds what the others have written")
{
    constexpr int programs = 4;
    constexpr int rounds = 6;
    VerbBench shared;
    write_file(shared.command.config_file, configuration_of_antwerp);
    const auto change = [&shared](int program) {
        VerbBench bench;
        bench.command.config_file = shared.command.config_file;
        const auto context = bench.context();
        for (int round = 0; round < rounds; ++round) {
            auto files = ConfigurationFiles::read(context);
            const auto line = fmt::format("# {}.{}\n", program, round);
            if (!files || !files->edit("antwerp", appended(line)) || !files->write()) {
                return;
            }
        }
    };
    std::vector<std::thread> threads;
    for (int program = 0; program < programs; ++program) {
        threads.emplace_back(change, program);
    }
    for (auto& thread : threads) {
        thread.join();
    }
    const auto text = read_file(shared.command.config_file);
    for (int program = 0; program < programs; ++program) {
        for (int round = 0; round < rounds; ++round) {
            CHECK(holds(text, fmt::format("# {}.{}\n", program, round)));
        }
    }
}

TEST_CASE("a configuration that another program changes is named as such, and is free once that has ended")
{
    VerbBench bench;
    write_file(bench.command.config_file, configuration_of_antwerp);
    const auto context = bench.context();
    {
        const auto files = ConfigurationFiles::read(context);
        REQUIRE(files);
        const auto refused = lock_configuration(context, bench.command.config_file, std::chrono::milliseconds(0));
        REQUIRE_FALSE(refused);
        CHECK(refused.error().kind() == ErrorKind::busy);
        CHECK(holds(refused.error().text(), "another program is changing the configuration"));
        CHECK(holds(refused.error().text(), "nothing was changed here"));
    }
    CHECK(lock_configuration(context, bench.command.config_file, std::chrono::milliseconds(0)));
}

TEST_CASE("what an editor writes meanwhile is neither replaced nor taken back")
{
    VerbBench bench;
    const auto& file = bench.command.config_file;
    write_file(file, configuration_of_antwerp);
    const auto context = bench.context();
    const auto edited = configuration_of_antwerp + std::string("# by hand\n");
    {
        auto files = ConfigurationFiles::read(context);
        REQUIRE(files);
        REQUIRE(files->edit("antwerp", appended("paused = true\n")));
        write_file(file, edited);
        const auto refused = files->write();
        REQUIRE_FALSE(refused);
        CHECK(refused.error().text() == "somebody else has changed " + file + " meanwhile: repeat this");
        CHECK(read_file(file) == edited);
    }
    {
        auto files = ConfigurationFiles::read(context);
        REQUIRE(files);
        REQUIRE(files->edit("antwerp", appended("paused = true\n")));
        REQUIRE(files->write());
        write_file(file, edited + "# again\n");
        const auto kept = files->take_back();
        REQUIRE_FALSE(kept);
        CHECK(holds(kept.error().text(), "somebody else has changed " + file));
        CHECK(read_file(file) == edited + "# again\n");
    }
    auto files = ConfigurationFiles::read(context);
    REQUIRE(files);
    REQUIRE(files->add("ghent.toml",
                       "[library.ghent]\nclient_id = \"x\"\nclient_secret = { command = [\"/bin/true\"] }\n"));
    std::filesystem::create_directory(bench.directory / "conf.d");
    write_file(bench.directory / "conf.d/ghent.toml", "# ours\n");
    CHECK_FALSE(files->write());
    CHECK(read_file(bench.directory / "conf.d/ghent.toml") == "# ours\n");
}

TEST_CASE("a library is removed from the configuration as it is after the question, not as it was before")
{
    VerbBench bench;
    const auto& file = bench.command.config_file;
    const std::string other = "[library.bruges]\nclient_id = \"b\"\nclient_secret = { command = [\"/bin/true\"] }\n";
    write_file(file, configuration_of_antwerp + other);
    bench.command.verb = Verb::library_forget;
    bench.command.library = "antwerp";
    CapturedTerminal terminal({.is_terminal = true, .can_ask = true});
    const auto plain = bench.context();
    // While the question waits, another program pauses the other library.
    const auto answer = [&](const std::string&, std::optional<Duration>) -> Result<Secret> {
        auto files = ConfigurationFiles::read(plain);
        if (!files || !files->edit("bruges", appended("paused = true\n")) || !files->write()) {
            return Error(ErrorKind::usage, "the other program could not change the configuration");
        }
        return Secret(std::string("antwerp"));
    };
    const Context context{bench.command, bench.environment, terminal.terminal, bench.clock, {}, answer, {}, {}, {}};
    SocketServer server(bench.environment["SHELFD_SOCKET"],
                        {http_answer(200, R"({"removed":[],"revoked":true,"is_configured":false})"),
                         http_answer(200, R"({"ok":true,"changes":[],"warnings":[],"absent":[]})")});
    CHECK(run_library_forget(context) == ExitCode::done);
    INFO(terminal.out << terminal.err);
    CHECK(server.requests().size() == 2);
    const auto text = read_file(file);
    CHECK_FALSE(holds(text, "[library.antwerp]"));
    CHECK(holds(text, other + "paused = true\n"));
}

}  // namespace
}  // namespace shelfd::ctl
