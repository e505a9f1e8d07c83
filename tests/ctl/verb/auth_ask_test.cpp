#include "ctl/verb/verbs.hpp"
#include "ctl/verb_bench.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

namespace shelfd::ctl {
namespace {

namespace fs = std::filesystem;

TEST_CASE("letters are written into a directory that is made for them, or the error names the option")
{
    VerbBench bench;
    const auto secret = bench.directory / "secret";
    std::ofstream(secret) << "hush\n";
    fs::permissions(secret, fs::perms::owner_read | fs::perms::owner_write);
    std::ofstream(bench.command.config_file)
        << fmt::format("[service]\nbase_url = \"https://api.example.com\"\n[library.antwerp]\nclient_id = \"id\"\n"
                       "client_secret = {{ file = \"{}\" }}\n[resource.recipes]\npath = \"/r/\"\nevery = \"1h\"\n",
                       secret);
    bench.command.library = "antwerp";
    bench.command.auth.folder = bench.directory / "out/letters";
    const auto code = run_auth_ask(bench.context());
    INFO(bench.captured.err);
    REQUIRE(code == ExitCode::done);
    CHECK(fs::file_size(bench.directory / "out/letters/antwerp.txt") > 0);

    bench.command.auth.folder = secret;
    CHECK(run_auth_ask(bench.context()) == ExitCode::usage);
    CHECK(bench.captured.err.find("name another one after --into") != std::string::npos);
}

}  // namespace
}  // namespace shelfd::ctl
