// The version stands in CMakeLists.txt; what repeats it for people must agree.
#include "support/catch.hpp"
#include "support/temp_directory.hpp"

#include <filesystem>
#include <regex>
#include <string>

namespace {

const std::filesystem::path root = SHELFD_SOURCE_DIR;

std::string text_of(const char* file)
{
    return shelfd::read_file((root / file).string());
}

std::string first_match(const std::string& text, const char* pattern)
{
    std::smatch found;
    return std::regex_search(text, found, std::regex(pattern)) ? found[1].str() : "";
}

}  // namespace

TEST_CASE("NEWS.md begins with a section for the version that is built, and that section says something")
{
    const auto version = first_match(text_of("CMakeLists.txt"), R"(project\(shelfd VERSION ([0-9.]+) )");
    REQUIRE(version != "");
    const auto news = text_of("contrib/NEWS.md");
    CHECK(first_match(news, R"(\n## ([0-9.]+)[ \n])") == version);
    const auto begin = news.find("\n## " + version);
    REQUIRE(begin != std::string::npos);
    const auto section = news.substr(begin + 1, news.find("\n## ", begin + 1) - begin);
    CHECK(section.find("\n- ") != std::string::npos);
}

TEST_CASE("README names the version that is built")
{
    const auto version = first_match(text_of("CMakeLists.txt"), R"(project\(shelfd VERSION ([0-9.]+) )");
    CHECK(first_match(text_of("README.md"), R"(\nVersion ([0-9.]+)\. )") == version);
}

TEST_CASE("the examples for containers name the image of the version that is built")
{
    const auto version = first_match(text_of("CMakeLists.txt"), R"(project\(shelfd VERSION ([0-9.]+) )");
    for (const auto* file : {"contrib/container/compose.yaml", "contrib/container/kubernetes.yaml"}) {
        CAPTURE(file);
        CHECK(first_match(text_of(file), R"(localhost/shelfd:([0-9.]+))") == version);
    }
}

TEST_CASE("the package has no version and no change log of its own")
{
    CHECK_FALSE(std::filesystem::exists(root / "contrib/debian/changelog"));
    CHECK(text_of("contrib/debian/control").find("\nVersion:") == std::string::npos);
}
