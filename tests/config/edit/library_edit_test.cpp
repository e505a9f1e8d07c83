#include "config/edit/library_edit.hpp"

#include "support/catch.hpp"

#include <string>

namespace shelfd::config {
namespace {

const std::string sample = R"(# The partner's libraries.
[service]
base_url = "https://api.example.com"

# Mrs. Peeters, 09 123 45 67
[library.antwerp] # since 2024
application = "partner"
paused = false   # until spring

  [ library . "antwerp" . resource.stock ]
  every = "5m"

# Another one.
[library.antwerp_old]
application = "partner"
)";

std::string must_be(const Result<std::string>& text)
{
    INFO((text ? *text : text.error().text()));
    REQUIRE(text);
    return *text;
}

TEST_CASE("a key that is removed takes its comment along, if it is the one that was named, and no other line")
{
    const std::string text = "[library.a]\n# Wait.\nnote = \"x\"\n# Wait.\npaused = true\nlibrary_id = 1\n";
    CHECK(must_be(remove_library_key(text, "x.toml", "a", "paused", "# Wait.")) ==
          "[library.a]\n# Wait.\nnote = \"x\"\nlibrary_id = 1\n");
    CHECK(must_be(remove_library_key(text, "x.toml", "a", "paused", "# Until spring.")) ==
          "[library.a]\n# Wait.\nnote = \"x\"\n# Wait.\nlibrary_id = 1\n");
    // The comment before the heading is about the library.
    const std::string first = "# Wait.\n[library.a]\npaused = true\n";
    CHECK(must_be(remove_library_key(first, "x.toml", "a", "paused", "# Wait.")) == "# Wait.\n[library.a]\n");
    CHECK(must_be(remove_library_key(sample, "x.toml", "antwerp", "formerly", "# Wait.")) == sample);
}

TEST_CASE("a key of a library is set where it stands, with the comment behind it, and otherwise below the heading")
{
    const auto changed = must_be(set_library_key(sample, "x.toml", "antwerp", "paused", "true"));
    CHECK(changed.find("paused = true   # until spring\n") != std::string::npos);
    CHECK(changed.size() == sample.size() - 1);
    const auto added = must_be(set_library_key(sample, "x.toml", "antwerp_old", "formerly", "\"ghent\""));
    CHECK(added.find("[library.antwerp_old]\nformerly = \"ghent\"\napplication") != std::string::npos);
    CHECK(must_be(remove_library_key(changed, "x.toml", "antwerp", "paused")).find("paused") == std::string::npos);
    CHECK(must_be(remove_library_key(sample, "x.toml", "antwerp_old", "paused")) == sample);
}

TEST_CASE("a library is renamed with the tables below it, and no other line changes")
{
    const auto renamed = must_be(rename_library(sample, "x.toml", "antwerp", "antwerpen"));
    CHECK(renamed.find("[library.antwerpen] # since 2024\n") != std::string::npos);
    CHECK(renamed.find("  [library.antwerpen.resource.stock]\n") != std::string::npos);
    CHECK(renamed.find("[library.antwerp_old]") != std::string::npos);
    CHECK_FALSE(has_library(renamed, "antwerp"));
    CHECK(has_library(renamed, "antwerpen"));
}

TEST_CASE("a library is removed with its tables and the comment before it; the next one keeps its own")
{
    const auto left = must_be(remove_library(sample, "x.toml", "antwerp"));
    CHECK(left == "# The partner's libraries.\n[service]\nbase_url = \"https://api.example.com\"\n\n\n# Another one.\n"
                  "[library.antwerp_old]\napplication = \"partner\"\n");
    const auto none = must_be(remove_library(must_be(remove_library(sample, "x", "antwerp_old")), "x", "antwerp"));
    CHECK_FALSE(says_nothing(none));
    CHECK(says_nothing(must_be(remove_library("# c\n[library.a]\napplication = \"p\"\n", "x", "a"))));
}

TEST_CASE("what is written in another form than tables is left alone, and the error says what to write")
{
    struct Row {
        const char* name;
        std::string text;
    };
    const Row rows[] = {
        {"inline", "library = { antwerp = { application = \"p\" } }\n"},
        {"dotted", "library.antwerp.application = \"p\"\n"},
        {"below another table", "[library]\nantwerp = { application = \"p\" }\n"},
        {"in a text of several lines",
         "[x]\ny = \"\"\"\n[library.antwerp]\n\"\"\"\n[library]\nantwerp.application = \"p\"\n"},
    };
    for (const auto& row : rows) {
        INFO(row.name);
        const auto set = set_library_key(row.text, "f.toml", "antwerp", "paused", "true");
        REQUIRE_FALSE(set);
        CHECK(set.error().kind() == ErrorKind::config);
        CHECK(
            set.error().text().find("f.toml is not written in a form that can be changed here: write paused = true in "
                                    "[library.antwerp]") != std::string::npos);
        CHECK_FALSE(rename_library(row.text, "f.toml", "antwerp", "antwerpen"));
        CHECK_FALSE(remove_library(row.text, "f.toml", "antwerp"));
    }
    // A second heading of that name, which TOML does not allow, is never made.
    CHECK_FALSE(rename_library("[library.a]\n[library.b]\n", "f.toml", "a", "b"));
}

}  // namespace
}  // namespace shelfd::config
