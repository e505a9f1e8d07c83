#include "house/floors.hpp"
#include "house/source_tree.hpp"
#include "support/catch.hpp"
#include "support/temp_directory.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>

// What README.md says about the house must be the house.
using namespace shelfd::house;

namespace {

const std::filesystem::path root = SHELFD_SOURCE_DIR;

std::string readme()
{
    return shelfd::read_file((root / "README.md").string());
}

std::string in_words(const std::vector<std::string>& list)
{
    return list.empty() ? "–" : fmt::format("{}", fmt::join(list, ", "));
}

std::vector<std::string> folders_under(int number)
{
    std::vector<std::string> folders;
    for (const auto& floor : floors()) {
        if (floor.number < number) {
            folders.push_back(floor.folder);
        }
    }
    return folders;
}

std::string below_in_words(const Floor& floor)
{
    const bool all = floor.below.size() > 3 && floor.below == folders_under(floor.number);
    return all ? fmt::format("all of 0 to {}", floor.number - 1) : in_words(floor.below);
}

struct Row {
    std::string number, folder, below, outside;
};

std::vector<Row> table_of_floors()
{
    std::vector<Row> rows;
    const auto text = readme();
    static const std::regex line(R"(\| *([0-9]) *\| *`([a-z]+)/` *\|[^|]+\| *([^|]+?) *\| *([^|]+?) *\|)");
    for (std::sregex_iterator at(text.begin(), text.end(), line), end; at != end; ++at) {
        rows.push_back({(*at)[1], (*at)[2], (*at)[3], (*at)[4]});
    }
    return rows;
}

// Its texts as people see them: literals joined as the compiler does, "{}" and its kin as "…".
std::string texts_below(const std::string& folder)
{
    static const std::regex seam("\"\\s*\n\\s*\"");
    static const std::regex field("\\{[0-9]*(:[^{} ]*)?\\}");
    std::string texts;
    for (const auto& file : read_tree(root, folder)) {
        std::string text;
        for (const auto& line : file.lines) {
            text += line + "\n";
        }
        texts += std::regex_replace(std::regex_replace(text, seam, ""), field, "…");
    }
    return texts;
}

}  // namespace

TEST_CASE("the README's table of floors is the one that is enforced")
{
    const auto rows = table_of_floors();
    REQUIRE(rows.size() == floors().size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto& floor = floors()[i];
        CAPTURE(floor.folder);
        CHECK(rows[i].folder == floor.folder);
        CHECK(rows[i].number == std::to_string(floor.number));
        CHECK(rows[i].below == below_in_words(floor));
        CHECK(rows[i].outside == in_words(floor.outside));
    }
}

TEST_CASE("every folder of daemon/ is a floor, and every floor a folder")
{
    std::set<std::string> folders;
    for (const auto& entry : std::filesystem::directory_iterator(root / "daemon")) {
        folders.insert(entry.path().filename().string());
    }
    std::set<std::string> expected;
    for (const auto& floor : floors()) {
        expected.insert(floor.folder);
    }
    CHECK(folders == expected);
}

TEST_CASE("every file that the README names is there")
{
    const auto text = readme();
    static const std::regex name(R"(`((?:daemon|config|systemd|tests|contrib|\.ci)/[A-Za-z0-9_./-]*)(?:[ `]))");
    std::size_t names = 0;
    for (std::sregex_iterator at(text.begin(), text.end(), name), end; at != end; ++at, ++names) {
        const auto file = (*at)[1].str();
        CAPTURE(file);
        CHECK(std::filesystem::exists(root / file));
    }
    CHECK(names >= 8);
}

TEST_CASE("every message that the README explains is one that the daemon says")
{
    const auto text = readme();
    const auto begin = text.find("\n## Troubleshooting\n");
    REQUIRE(begin != std::string::npos);
    const auto section = text.substr(begin, text.find("\n## ", begin + 1) - begin);
    const auto texts = texts_below("daemon");
    static const std::regex row("\n\\| `([^`]+)` \\|");
    std::size_t messages = 0;
    for (std::sregex_iterator at(section.begin(), section.end(), row), end; at != end; ++at, ++messages) {
        const auto message = (*at)[1].str();
        CAPTURE(message);
        CHECK(texts.find(message) != std::string::npos);
    }
    CHECK(messages >= 15);
}

TEST_CASE("every test that the README runs by name is there")
{
    const auto tests = texts_below("tests");
    static const std::regex test_case(R"re(TEST_CASE[A-Z_]*\([^"]*"([^"]*)")re");
    std::vector<std::string> promises;
    for (std::sregex_iterator at(tests.begin(), tests.end(), test_case), end; at != end; ++at) {
        promises.push_back((*at)[1]);
    }
    const auto text = readme();
    static const std::regex run(R"re((?:-R '|`test_[a-z]+ "\*)([^'*"]+)(?:'|\*"))re");
    std::size_t names = 0;
    for (std::sregex_iterator at(text.begin(), text.end(), run), end; at != end; ++at, ++names) {
        const auto name = (*at)[1].str();
        CAPTURE(name);
        CHECK(std::any_of(promises.begin(), promises.end(),
                          [&name](const std::string& promise) { return promise.find(name) != std::string::npos; }));
    }
    CHECK(names >= 2);
}
