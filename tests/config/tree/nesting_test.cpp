#include "config/tree/nesting.hpp"

#include "config/files.hpp"

#include "support/catch.hpp"

#include <string>

using namespace shelfd;
using namespace shelfd::config;
using test::ConfigFiles;

namespace {

std::string repeated(const std::string& text, std::size_t count)
{
    std::string whole;
    for (std::size_t i = 0; i < count; ++i) {
        whole += text;
    }
    return whole;
}

std::string place_of(const std::string& text)
{
    const auto place = find_deep_nesting(text);
    return place ? std::to_string(place->line) + ":" + std::to_string(place->column) : "";
}

}  // namespace

TEST_CASE("whatever nests deeper than 32 levels is refused with its place, and nothing else is")
{
    struct Row {
        const char* name;
        std::string text;
        std::string place;
    };
    const auto keys = [](std::size_t count) { return repeated("a.", count) + "a"; };
    const Row rows[] = {
        {"dotted keys", keys(32) + " = 1\n", ""},
        {"one more", keys(33) + " = 1\n", "1:66"},
        {"in a second line", "x = 1\n" + keys(25'000) + " = 1\n", "2:66"},
        {"behind a byte order mark", "\xef\xbb\xbf[" + keys(33) + "]\n", "1:67"},
        {"a header", "[" + keys(33) + "]\n", "1:67"},
        {"a list of tables", "  [[" + keys(33) + "]]\n", "1:70"},
        {"a header and a key", "[" + keys(15) + "]\n" + keys(16) + " = 1\n", ""},
        {"a header and a longer key", "[" + keys(15) + "]\nx = 1\n" + keys(17) + " = 1\n", "3:34"},
        {"the next header begins anew", "[" + keys(30) + "]\n[a]\n" + keys(30) + " = 1\n", ""},
        {"arrays", "a = " + repeated("[", 32) + repeated("]", 32) + "\n", ""},
        {"deeper arrays", "a = " + repeated("[", 33) + repeated("]", 33) + "\n", "1:37"},
        {"arrays over lines", "a = " + repeated("[\n", 33), "33:1"},
        {"inline tables", "a = " + repeated("{ a = ", 33), "1:197"},
        {"inline tables with dotted keys", repeated("a.b = { ", 17), "1:130"},
        {"many beside each other", "a = [" + repeated("[1.5, 2.5, { a.b = 1, c.d = 1.5 }], ", 1'000) + "]\n", ""},
        {"many keys", repeated("a.b.c = 1.2.3\n", 1'000), ""},
        {"dots in strings", "a = \"" + repeated("[.", 100) + "\"\nb = '" + repeated("{.", 100) + "'\n", ""},
        {"dots in a quoted key", "\"" + repeated(".", 100) + "\".b = 1\n", ""},
        {"behind an escaped quote", "a = \"\\\"" + repeated("[", 100) + "\"\n", ""},
        {"behind strings over lines", "a = \"\"\"x\n\\\"\"\"\"\"\nb = " + repeated("[", 33), "3:37"},
        {"behind a string that ends in quotes", "a = '''x'''''\n" + keys(33) + " = 1\n", "2:66"},
        {"a comment", "# " + repeated("[.", 100) + "\na = 1 # " + repeated("[.", 100) + "\n", ""},
        {"columns are characters", "\"é寿\"." + keys(32) + " = 1\n", "1:69"},
        {"a string without an end", "a = \"" + repeated("[", 100), ""},
        {"a backslash at the end", "a = \"\\", ""},
    };
    for (const auto& row : rows) {
        INFO(row.name);
        CHECK(place_of(row.text) == row.place);
    }
}

TEST_CASE("a line of 25,000 dotted keys is a fault with its place")
{
    const ConfigFiles files(repeated("a.", 25'000) + "a = 1\n");
    files.write("conf.d/deep.toml", "[library.x]\nx = " + repeated("[", 1'000'000));
    const auto outcome = files.load();
    CHECK_FALSE(outcome.configuration);
    CHECK(test::list(files, outcome.faults) ==
          "shelfd.toml:1:66: is nested deeper than 32 levels; a configuration needs 6\n"
          "conf.d/deep.toml:2:35: is nested deeper than 32 levels; a configuration needs 6\n");
}

TEST_CASE("what would keep the daemon busy for minutes is refused with its place")
{
    std::string params = "[service]\nbase_url = \"https://api.example.com\"\n[service.params]\n";
    for (int i = 0; i < 20'000; ++i) {
        params += "k" + std::to_string(i) + " = \"v\"\n";
    }
    const ConfigFiles files(params);
    files.write("conf.d/many.toml", repeated("[[a]]\n", 400'000));
    const auto outcome = files.load();
    CHECK_FALSE(outcome.configuration);
    const auto faults = test::list(files, outcome.faults);
    INFO(faults);
    CHECK(faults.find("conf.d/many.toml:1:1: has more than 100000 lines and elements") != std::string::npos);
    const ConfigFiles other(params);
    CHECK(
        test::list(other, other.load().faults).find("shelfd.toml:204:1: params has 20000 members, more than the 200") !=
        std::string::npos);
}
