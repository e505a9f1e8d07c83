#include "support/catch.hpp"
#include "support/process.hpp"

#include <map>
#include <string>
#include <vector>

// The commands a person types, as far as they can be tried without doing their work.
using shelfd::run_program;

namespace {

const std::string root = SHELFD_SOURCE_DIR;
const std::map<std::string, std::string> environment = {
    {"PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}, {"LANG", "C"}, {"SHELFD_NO_APT", "1"}};
const std::vector<std::string> commands = {"demo", "test", "format", "tidy"};

}  // namespace

TEST_CASE("each command says what it does")
{
    for (const auto& command : commands) {
        CAPTURE(command);
        const auto ran = run_program({root + "/contrib/" + command, "--help"}, environment);
        CHECK(ran.code == 0);
        CHECK(ran.err == "");
        CHECK_THAT(ran.out, Catch::Matchers::Contains("contrib/" + command));
    }
}

TEST_CASE("a command refuses an argument that it does not know")
{
    for (const std::string command : {"demo", "test", "format"}) {
        CAPTURE(command);
        const auto ran = run_program({root + "/contrib/" + command, "--no-such-thing"}, environment);
        CHECK(ran.code == 64);
        CHECK_THAT(ran.err, Catch::Matchers::Contains("--no-such-thing"));
    }
}

TEST_CASE("the scripts are sound as far as shellcheck can see")
{
    if (run_program({"/usr/bin/env", "shellcheck", "--version"}, environment).code != 0) {
        WARN("skipped: no shellcheck here");
        return;
    }
    std::vector<std::string> arguments = {"/usr/bin/env",    "-C", root, "shellcheck", "-x", ".ci/run",
                                          "contrib/setup.sh"};
    for (const auto& command : commands) {
        arguments.push_back("contrib/" + command);
    }
    const auto ran = run_program(arguments, environment);
    CHECK(ran.out == "");
    CHECK(ran.code == 0);
}

TEST_CASE("a system without apt is told what to install")
{
    auto without = environment;
    without.erase("SHELFD_NO_APT");
    // Nothing but what the scripts themselves need: no dpkg-query, no apt-get.
    const auto ran = run_program({"/bin/bash", "-c",
                                  "tools=$(mktemp -d) && for tool in dirname sed tr sort; do "
                                  "ln -s \"$(command -v $tool)\" \"$tools\"; done; "
                                  "PATH=$tools /bin/bash \"$0\" --check; status=$?; rm -r \"$tools\"; exit $status",
                                  root + "/contrib/format"},
                                 without);
    CHECK(ran.code == 1);
    CHECK_THAT(ran.err, Catch::Matchers::Contains("clang-format"));
    CHECK_THAT(ran.err, Catch::Matchers::Contains("SHELFD_NO_APT=1"));
}
