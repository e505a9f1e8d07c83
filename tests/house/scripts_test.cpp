#include "house/source_tree.hpp"
#include "support/catch.hpp"
#include "support/process.hpp"

#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

// The commands a person types, as far as they can be tried without doing their work.
using shelfd::run_program;

namespace {

const std::string root = SHELFD_SOURCE_DIR;
const std::map<std::string, std::string> environment = {
    {"PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}, {"LANG", "C"}, {"SHELFD_NO_APT", "1"}};
const std::vector<std::string> commands = {"demo", "test", "format", "tidy", "package", "container/build"};

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
    for (const std::string command : {"demo", "test", "format", "package", "container/build"}) {
        CAPTURE(command);
        const auto ran = run_program({root + "/contrib/" + command, "--no-such-thing"}, environment);
        CHECK(ran.code == 64);
        CHECK_THAT(ran.err, Catch::Matchers::Contains("--no-such-thing"));
    }
}

TEST_CASE("a time for fuzzing is a number of seconds")
{
    for (const std::string argument : {"--fuzz=", "--fuzz=0", "--fuzz=1m", "--fuzz=10000"}) {
        CAPTURE(argument);
        const auto ran = run_program({root + "/contrib/test", argument}, environment);
        CHECK(ran.code == 64);
        CHECK_THAT(ran.err, Catch::Matchers::Contains(argument));
    }
}

TEST_CASE("every fuzz target has inputs to begin with")
{
    namespace fs = std::filesystem;
    std::size_t targets = 0;
    for (const auto& file : fs::directory_iterator(root + "/tests/fuzz")) {
        if (file.path().extension() == ".cpp") {
            ++targets;
            const auto corpus = root + "/tests/fuzz/corpus/" + file.path().stem().string();
            CAPTURE(corpus);
            REQUIRE(fs::is_directory(corpus));
            CHECK(fs::directory_iterator(corpus) != fs::directory_iterator());
        }
    }
    CHECK(targets >= 12);
}

// They are linked from single files, and only by clang: a file that is missing would show first where they are built.
TEST_CASE("the fuzz targets are linked with each file whose header theirs include")
{
    std::set<std::string> linked;
    static const std::regex file(R"re([a-z_]+/[a-z_/]+\.cpp)re");
    std::vector<std::string> readers;
    for (const auto& line : shelfd::house::read_source(root, "tests/fuzz/CMakeLists.txt").lines) {
        for (std::sregex_iterator at(line.begin(), line.end(), file), end; at != end; ++at) {
            linked.insert(at->str());
            readers.push_back("daemon/" + at->str());
            readers.push_back("daemon/" + at->str().substr(0, at->str().size() - 3) + "hpp");
        }
    }
    for (const auto& entry : std::filesystem::directory_iterator(root + "/tests/fuzz")) {
        if (entry.path().extension() == ".cpp") {
            readers.push_back("tests/fuzz/" + entry.path().filename().string());
        }
    }
    REQUIRE(linked.size() >= 40);
    static const std::set<std::string> whole_floors = {"base", "config", "schedule", "storage"};
    static const std::regex include(R"re(#include "(([a-z_]+)/[a-z_/]+)\.hpp")re");
    for (const auto& reader : readers) {
        for (const auto& line : shelfd::house::read_source(root, reader).lines) {
            std::smatch found;
            if (std::regex_search(line, found, include) && !whole_floors.contains(found[2].str()) &&
                std::filesystem::exists(root + "/daemon/" + found[1].str() + ".cpp")) {
                CAPTURE(reader, line);
                CHECK(linked.contains(found[1].str() + ".cpp"));
            }
        }
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
    for (const auto* script : {"debian/shelfd.postinst", "debian/shelfd.prerm", "debian/shelfd.postrm"}) {
        arguments.push_back(std::string("contrib/") + script);
    }
    for (const auto* script : {"run", "package_and_run", "inside_sandbox", "container_run"}) {
        arguments.push_back(std::string("tests/boot/") + script);
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
