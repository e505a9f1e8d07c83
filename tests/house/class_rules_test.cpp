#include "house/class_rules.hpp"
#include "support/catch.hpp"
#include "support/temp_directory.hpp"

#include <string>
#include <string_view>

using namespace shelfd::house;
using shelfd::TempDirectory;

namespace {

const std::filesystem::path root = SHELFD_SOURCE_DIR;
const std::string opening = "// Says what it is for.\n#pragma once\n";

void none(const std::vector<Finding>& findings)
{
    INFO(to_text(findings));
    CHECK(findings.empty());
}

void plant(const TempDirectory& tree, const std::string& path, const std::string& text)
{
    const std::filesystem::path file = tree / path;
    std::filesystem::create_directories(file.parent_path());
    shelfd::write_file(file.string(), text);
}

// A class with `count` data members, and with what is none.
std::string class_with(std::size_t count)
{
    std::string text =
        "class Keeper final : public Base {\npublic:\n    explicit Keeper(int a, int b = 0);\n"
        "    int run() const { return number_; }\n    using Names = std::vector<int>;\n"
        "    static constexpr int limit = 3;\n    struct Inner {\n        int a;\n        int b;\n    };\n"
        "    enum class State { one, two };\n    friend class Other;\n\nprivate:\n";
    for (std::size_t i = 0; i < count; ++i) {
        static const std::vector<std::string> kinds = {"int a{}_;",
                                                       "std::map<std::string, std::pair<int, int>> a{}_;",
                                                       "Clock& a{}_;",
                                                       "int a{}_ = 3;",
                                                       "std::function<void(int, bool)> a{}_;",
                                                       "std::optional<Instant> a{}_ = {};",
                                                       "Inner a{}_{1, 2};"};
        auto member = kinds[i % kinds.size()];
        member.replace(member.find("a{}_"), 4, "a" + std::to_string(i) + "_");
        text += "    " + member + "  // one; of many\n";
    }
    return text + "};\n";
}

}  // namespace

TEST_CASE("every class of the daemon has so few data members that a reader keeps them in mind")
{
    none(member_findings(root));
}

TEST_CASE("every class of the daemon is implemented in few files, each named after its header")
{
    none(source_findings(root));
}

TEST_CASE("a class with one data member too many is found, by its header and line")
{
    const TempDirectory tree;
    plant(tree, "daemon/oauth/keeper.hpp", opening + class_with(max_members));
    none(member_findings(tree.path()));
    plant(tree, "daemon/oauth/keeper.hpp", opening + class_with(max_members + 1));
    const auto findings = member_findings(tree.path());
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].file == "daemon/oauth/keeper.hpp");
    CHECK(findings[0].line == 3);
    CHECK_THAT(findings[0].text, Catch::Matchers::Contains("Keeper has 26 data members"));
}

TEST_CASE("data members that share a declaration are counted one by one")
{
    const TempDirectory tree;
    std::string text = opening + "struct Keeper {\n    int a0";
    for (std::size_t i = 1; i <= max_members; ++i) {
        text += ", a" + std::to_string(i);
    }
    plant(tree, "daemon/oauth/keeper.hpp", text + ";\n};\n");
    CHECK(member_findings(tree.path()).size() == 1);
}

TEST_CASE("a class that is implemented in one file too many is found")
{
    const TempDirectory tree;
    plant(tree, "daemon/oauth/keeper.hpp", opening + class_with(1));
    for (const std::string_view part : {"keeper", "keeper_import", "keeper_login"}) {
        plant(tree, "daemon/oauth/" + std::string(part) + ".cpp",
              "asio::awaitable<Keeper::State> Keeper::run()\n{\n}\n");
    }
    none(source_findings(tree.path()));
    plant(tree, "daemon/oauth/keeper_move.cpp", "Keeper::Keeper(int a, int b)\n{\n}\n");
    const auto findings = source_findings(tree.path());
    REQUIRE(findings.size() == 1);
    CHECK_THAT(findings[0].text, Catch::Matchers::Contains("Keeper is implemented in 4 .cpp files"));
}

TEST_CASE("a function that stands in a file of another name is found")
{
    const TempDirectory tree;
    plant(tree, "daemon/oauth/keeper.hpp", opening + class_with(1));
    plant(tree, "daemon/oauth/move.cpp", "\nconst Keeper::Inner* Keeper::find(int a) const\n{\n}\n");
    const auto findings = source_findings(tree.path());
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].file == "daemon/oauth/move.cpp");
    CHECK(findings[0].line == 2);
    // A class of the same name on another floor, one that a .cpp file has for itself, and mere uses are none.
    plant(tree, "daemon/oauth/move.cpp", "Local::Local()\n{\n}\n    Keeper::run();\nauto x = Keeper::run();\n");
    plant(tree, "daemon/sync/move.cpp", "void Keeper::run()\n{\n}\n");
    none(source_findings(tree.path()));
}
