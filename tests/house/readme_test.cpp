#include "house/floors.hpp"
#include "house/manual_rules.hpp"
#include "house/paper_rules.hpp"
#include "house/source_tree.hpp"
#include "support/catch.hpp"
#include "support/temp_directory.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>

// What the papers say about the house must be the house; planted_violations_test.cpp proves that each rule can fail.
using namespace shelfd::house;

namespace {

const std::filesystem::path root = SHELFD_SOURCE_DIR;

std::string paper(const std::string& name)
{
    return shelfd::read_file((root / name).string());
}

std::string in_words(const std::vector<std::string>& list)
{
    return list.empty() ? "–" : fmt::format("{}", fmt::join(list, ", "));
}

struct Row {
    std::string number, folder, below, outside;
};

std::vector<Row> table_of_floors()
{
    std::vector<Row> rows;
    const auto text = paper("daemon/README.md");
    static const std::regex line(R"(\| *([0-9]) *\| *`([a-z]+)/` *\|[^|]+\| *([^|]+?) *\| *([^|]+?) *\|)");
    for (std::sregex_iterator at(text.begin(), text.end(), line), end; at != end; ++at) {
        rows.push_back({(*at)[1], (*at)[2], (*at)[3], (*at)[4]});
    }
    return rows;
}

// "sync/plan", and "mirror/" for what lies in no room, in the order of the table.
std::vector<std::string> table_of_rooms()
{
    std::vector<std::string> rooms;
    const auto text = paper("daemon/README.md");
    static const std::regex line(R"(\n\| `([a-z]+/)(?:([a-z]+)/)?` \| [^|]+ \| [^|]+ \|)");
    for (std::sregex_iterator at(text.begin(), text.end(), line), end; at != end; ++at) {
        rooms.push_back((*at)[1].str() + (*at)[2].str());
    }
    return rooms;
}

void none(const std::vector<Finding>& findings)
{
    INFO(to_text(findings));
    CHECK(findings.empty());
}

}  // namespace

TEST_CASE("the table of floors in daemon/README.md is the one that is enforced")
{
    const auto rows = table_of_floors();
    REQUIRE(rows.size() == floors().size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto& floor = floors()[i];
        CAPTURE(floor.folder);
        CHECK(rows[i].folder == floor.folder);
        CHECK(rows[i].number == std::to_string(floor.number));
        CHECK(rows[i].below == in_words(floor.below));
        CHECK(rows[i].outside == in_words(floor.outside));
    }
}

TEST_CASE("the table of rooms in daemon/README.md is the one that is enforced, in its order")
{
    std::vector<std::string> expected;
    for (const auto& floor : floors()) {
        for (const auto& room : floor.rooms) {
            expected.push_back(floor.folder + "/" + room);
        }
    }
    CHECK(table_of_rooms() == expected);
}

TEST_CASE("the options of scripts that README.md names are there, and it names the demo that stays")
{
    static const std::regex option("contrib/([a-z]+) (--[a-z]+)");
    const auto text = paper("README.md");
    std::set<std::string> named;
    for (std::sregex_iterator at(text.begin(), text.end(), option), end; at != end; ++at) {
        CAPTURE((*at)[0].str());
        named.insert((*at)[0]);
        CHECK(paper("contrib/" + (*at)[1].str()).find((*at)[2]) != std::string::npos);
    }
    CHECK(named.contains("contrib/demo --keep"));
}

TEST_CASE("every folder of daemon/ is a floor, and every floor a folder")
{
    std::set<std::string> folders;
    for (const auto& entry : std::filesystem::directory_iterator(root / "daemon")) {
        if (entry.is_directory()) {
            folders.insert(entry.path().filename().string());
        }
    }
    std::set<std::string> expected;
    for (const auto& floor : floors()) {
        expected.insert(floor.folder);
    }
    CHECK(folders == expected);
}

TEST_CASE("no paper is longer than its reader bears")
{
    for (const auto& one : papers()) {
        CAPTURE(one.file);
        CHECK(std::filesystem::is_regular_file(root / one.file));
    }
    none(paper_length_findings(root));
}

TEST_CASE("every file that a paper names is there")
{
    none(named_file_findings(root));
}

TEST_CASE("every row of \"Where is what\" names a file that is there and a function that is in it")
{
    CHECK(count_questions(root) >= 100);
    none(where_findings(root));
}

TEST_CASE("every message that shelfd-troubles(7) explains is one that the daemon says")
{
    CHECK(count_messages(root) >= 80);
    none(message_findings(root));
}

TEST_CASE("no sentence of a manual page is cut off")
{
    none(sentence_findings(root));
}

TEST_CASE("shelfd(8) lists every request of the control socket, under the right that it needs")
{
    CHECK(count_requests(root) >= 25);
    none(request_findings(root));
}

TEST_CASE("every table, column and state of a mirror in shelfd-mirror(7) is one that mirrors have")
{
    none(mirror_page_findings(root));
}

TEST_CASE("every manual page names all the others under SEE ALSO")
{
    std::vector<std::filesystem::path> pages;
    for (const auto& page : std::filesystem::directory_iterator(root / "contrib/man")) {
        pages.push_back(page.path());
    }
    CHECK(pages.size() >= 5);
    for (const auto& page : pages) {
        const auto text = shelfd::read_file(page.string());
        const auto begin = text.find("\n.Sh SEE ALSO\n");
        CAPTURE(page);
        REQUIRE(begin != std::string::npos);
        for (const auto& other : pages) {
            const auto name = fmt::format(".Xr {} {}", other.stem().string(), other.extension().string().substr(1));
            CAPTURE(name);
            CHECK((other == page || text.find(name, begin) != std::string::npos));
        }
    }
}

TEST_CASE("every test that a paper runs by name is there")
{
    const auto tests = texts_below(root, "tests");
    static const std::regex test_case(R"re(TEST_CASE[A-Z_]*\([^"]*"([^"]*)")re");
    std::vector<std::string> promises;
    for (std::sregex_iterator at(tests.begin(), tests.end(), test_case), end; at != end; ++at) {
        promises.push_back((*at)[1]);
    }
    static const std::regex run(R"re((?:-R '|`test_[a-z]+ "\*)([^'*"]+)(?:'|\*"))re");
    std::size_t names = 0;
    for (const auto& one : papers()) {
        const auto text = paper(one.file);
        for (std::sregex_iterator at(text.begin(), text.end(), run), end; at != end; ++at, ++names) {
            const auto name = (*at)[1].str();
            CAPTURE(name);
            CHECK(std::any_of(promises.begin(), promises.end(),
                              [&name](const std::string& promise) { return promise.find(name) != std::string::npos; }));
        }
    }
    CHECK(names >= 2);
}
