#include "mirror/columns/encode.hpp"
#include "mirror/json/text.hpp"
#include "mirror_fixture.hpp"
#include "support/catch.hpp"
#include "support/json_tree.hpp"
#include "support/scale.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <map>
#include <random>

using namespace shelfd;

namespace {

std::string nested(int depth)
{
    return std::string(static_cast<std::size_t>(depth), '[') + std::string(static_cast<std::size_t>(depth), ']');
}

// Everything a service has been seen to send, and what JSON allows beyond it.
const std::vector<std::string>& awkward_values()
{
    static const std::vector<std::string> values = {
        "null",
        "true",
        "false",
        "0",
        "-0",
        "7",
        "-7",
        "9007199254740993",
        "9223372036854775807",
        "-9223372036854775808",
        "9223372036854775808",
        "-9223372036854775809",
        "18446744073709551616",
        "123456789012345678901234567890",
        "1.0",
        "-1.5",
        "0.1",
        "89.50",
        "89.5",
        "1e-07",
        "1e-7",
        "1e+22",
        "1e22",
        "1E22",
        "-0.0",
        "0.0",
        "0e0",
        "1.7976931348623157e+308",
        "1e400",
        "-1e400",
        "1e-400",
        "5e-324",
        "123456789012345.6",
        "1234567890123456.0",
        "12345678901234567.0",
        "1e+16",
        "0.0001",
        "1e-05",
        "3.141592653589793238462643",
        R"("")",
        R"("7")",
        R"("2024")",
        R"("89.00")",
        R"("1e22")",
        R"("18446744073709551616")",
        R"("null")",
        R"("true")",
        R"("  leading")",
        R"("line\nbreak\ttab")",
        R"("quote \" and \\ and \/")",
        R"("nul \u0000 inside")",
        R"("caf\u00e9 \ud83d\ude00")",
        "\"caf\xc3\xa9 \xf0\x9f\x98\x80\"",
        R"("lone \ud800 surrogate")",
        R"("\udc00\ud800")",
        R"("<b>&amp;</b>")",
        R"("2024-01-06T06:00:00.999999Z")",
        R"("2024-01-06T06:00:00Z")",
        R"("2024-01-06T08:00:00+02:00")",
        R"("2024-01-06T06:00:00.5Z")",
        R"("2024-01-06T06:00:00.1234567Z")",
        R"("2024-01-06T06:00:00")",
        R"("2024-02-30T06:00:00Z")",
        R"("9999-12-31T23:59:59-02:00")",
        R"("0001-01-01T00:00:00+02:00")",
        R"("1969-12-31T23:59:59.999999Z")",
        R"("2024-01-06t06:00:00z")",
        R"("2024-01-06T06:00:00\u005a")",
        R"("2024-02-29")",
        R"("2023-02-29")",
        R"("0000-01-01")",
        R"("06:30:00")",
        "{}",
        "[]",
        R"({"a":{"b":[1,2.50,-0.0,null,"x\u0000"]}})",
        R"([{"a":1,"a":2},[]])",
        "[1, 2,\n3]",
        R"(["\ud800"])",
    };
    return values;
}

std::string random_item(std::mt19937_64& random, std::int64_t id)
{
    static const std::vector<std::string> keys = {
        "name", "Name",   "NAME",       "select",    "order",         "_exact", "_shape",   "",
        " ",    "a\\\"b", "rowid",      "id2",       "\\u0061",       "price",  "modified", "day",
        "flag", "lines",  "k\xc3\xa9y", "tab\\tkey", "nul\\u0000key", "x",      "y",        "z",
    };
    const auto& values = awkward_values();
    const auto pick = [&](std::size_t size) { return static_cast<std::size_t>(random() % size); };
    std::string item = fmt::format("{{\"id\":{}", id);
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const auto chance = pick(10);
        if (chance == 0) {
            continue;
        }
        // Mostly a value of the key's own sort, now and then anything.
        const auto& value = chance < 7 ? values[(i * 7 + pick(3)) % values.size()] : values[pick(values.size())];
        item += fmt::format(",\"{}\":{}", keys[i], value);
        if (chance == 9 && pick(4) == 0) {
            item += fmt::format(",\"{}\":{}", keys[i], values[pick(values.size())]);
        }
    }
    return item + "}";
}

void check_item(MirrorFixture& fixture, const std::string& key, const std::string& sent)
{
    const std::string rebuilt = fixture.item(key);
    INFO("sent    " << sent);
    INFO("rebuilt " << rebuilt);
    CHECK(equal_items(sent, rebuilt));
}

// A week later each row is compared with its item: none may differ from what the same item would be stored as.
void check_none_differs(MirrorFixture& fixture, const std::vector<std::string>& pages)
{
    fixture.clock.advance_by(std::chrono::hours(7 * 24));
    CHECK(fixture.load(pages).changed == 0);
    CHECK(fixture.mirror->repairs().empty());
}

}  // namespace

TEST_CASE("every value survives in a column made for any other value")
{
    const auto& values = awkward_values();
    for (const auto& first : values) {
        INFO("columns first seen with " << first);
        MirrorFixture fixture;
        std::string founder = R"({"id":1)";
        std::string successor = R"({"id":2)";
        for (std::size_t i = 0; i < values.size(); ++i) {
            founder += fmt::format(",\"c{}\":{}", i, first);
            successor += fmt::format(",\"c{}\":{}", i, values[i]);
        }
        founder += "}";
        successor += "}";
        fixture.load({founder, successor});
        check_item(fixture, "1", founder);
        check_item(fixture, "2", successor);
        check_none_differs(fixture, {founder, successor});
    }
}

TEST_CASE("generated items come back equal, through first loads, changes and reopened files")
{
    const auto seed = GENERATE(range(0U, 40U));
    std::mt19937_64 random(seed);
    MirrorFixture fixture;
    std::vector<std::string> items;
    for (std::int64_t id = 0; id < 30; ++id) {
        items.push_back(random_item(random, id));
    }
    for (int pass = 0; pass < 3; ++pass) {
        std::vector<std::string> pages;
        for (std::size_t i = 0; i < items.size(); ++i) {
            if (i % 7 == 0) {
                pages.emplace_back();
            }
            pages.back() += (pages.back().empty() ? "" : ",") + items[i];
        }
        const auto outcome = fixture.load(pages);
        CHECK(outcome.rows == items.size());
        for (std::size_t id = 0; id < items.size(); ++id) {
            check_item(fixture, std::to_string(id), items[id]);
        }
        check_none_differs(fixture, pages);
        fixture.reopen();
        for (int change = 0; change < 5; ++change) {
            const auto id = static_cast<std::size_t>(random() % items.size());
            items[id] = random_item(random, static_cast<std::int64_t>(id));
        }
        items.push_back(random_item(random, static_cast<std::int64_t>(items.size())));
    }
}

TEST_CASE("an item with 2500 keys keeps those beyond the columns in _exact")
{
    MirrorFixture fixture;
    std::string item = R"({"id":1)";
    for (int i = 0; i < 2500; ++i) {
        item += fmt::format(",\"key_{}\":{}", i, i % 3 == 0 ? "null" : std::to_string(i));
    }
    item += "}";
    fixture.load({item});
    check_item(fixture, "1", item);
    CHECK(fixture.one("SELECT count(*) FROM _columns") == "1900");
    CHECK(fixture.one("SELECT count(*) FROM pragma_table_info('things')") == "1902");
    check_none_differs(fixture, {item});
}

TEST_CASE("items that leave out keys at random come back without them, however many sets of keys there are")
{
    MirrorFixture fixture;
    std::vector<std::string> items;
    for (int id = 0; id < 5000; ++id) {
        std::string item = fmt::format("{{\"id\":{}", id);
        for (int bit = 0; bit < 13; ++bit) {
            if ((id >> bit & 1) != 0) {
                item += fmt::format(",\"k{}\":{}", bit, bit % 2 == 0 ? "1" : "null");
            }
        }
        items.push_back(item + "}");
    }
    std::string page;
    for (const auto& item : items) {
        page += (page.empty() ? "" : ",") + item;
    }
    fixture.load({page});
    CHECK(fixture.one("SELECT count(*) FROM _shapes") == "4096");
    CHECK(fixture.one("SELECT count(*) FROM things WHERE _shape IS NULL") == "904");
    for (const int id : {0, 1, 63, 4095, 4096, 4999}) {
        check_item(fixture, std::to_string(id), items[static_cast<std::size_t>(id)]);
    }
    check_none_differs(fixture, {page});
}

TEST_CASE("a column of keys of any kind does not take a number for exact that begins with a whole one")
{
    for (const auto* item : {R"({"v":1e22})", R"({"v":89.50})", R"({"v":1e400})", R"({"v":18446744073709551616})"}) {
        INFO(item);
        std::vector<mirror::Member> members;
        REQUIRE(mirror::parse_members(item, members) == nullptr);
        REQUIRE(members.size() == 1);
        mirror::TextArena workshop;
        const auto stored = mirror::encode(mirror::Kind::any, members[0], workshop);
        CHECK(stored.storage == mirror::Storage::text);
        CHECK(stored.text == members[0].value);
        CHECK_FALSE(stored.exact);
    }
}

TEST_CASE("a real number is exact where its shortest text is what was sent, whatever its digits")
{
    std::mt19937 random(20261201);
    const auto digits = [&random](std::size_t most) {
        std::string text;
        for (std::size_t i = random() % (most + 1); i > 0; --i) {
            text += static_cast<char>('0' + (random() % 3 == 0 ? 0 : random() % 10));
        }
        return text;
    };
    std::size_t exact = 0;
    for (int i = 0; i < 20'000; ++i) {
        const auto whole = digits(12);
        const auto first = whole.find_first_not_of('0');
        const auto number = (random() % 4 == 0 ? "-" : "") + (first == whole.npos ? "0" : whole.substr(first)) + "." +
                            digits(9) + std::to_string(random() % 10) + (random() % 20 == 0 ? "e-5" : "");
        CAPTURE(number);
        const auto item = R"({"v":)" + number + "}";
        std::vector<mirror::Member> members;
        REQUIRE(mirror::parse_members(item, members) == nullptr);
        mirror::TextArena workshop;
        const auto stored = mirror::encode(mirror::Kind::real, members[0], workshop);
        REQUIRE(stored.storage == mirror::Storage::real);
        const bool has_sign = stored.real == 0 && std::signbit(stored.real);
        REQUIRE(stored.exact == (!has_sign && mirror::real_text(stored.real) == number));
        exact += stored.exact ? 1U : 0U;
    }
    CHECK(exact > 5'000);
    CHECK(exact < 19'000);
}

TEST_CASE("a string ends at its quote, and no control character passes, wherever in the text they are")
{
    for (std::size_t size = 0; size < 70; ++size) {
        for (std::size_t at = 0; at <= size; ++at) {
            for (const auto* mark : {"", "\\\"", "\\n", "\x01", "\x1f", "\x7f", "\xc3\xbc"}) {
                auto text = std::string(size, 'x');
                text.insert(at, mark);
                const auto item = R"({"v":")" + text + R"(","w":[")" + text + R"("]})";
                std::vector<mirror::Member> members;
                const auto* const fault = mirror::parse_members(item, members);
                CAPTURE(size, at, mark);
                if (*mark == '\x01' || *mark == '\x1f') {
                    REQUIRE(fault == std::string("a control character inside a string"));
                    continue;
                }
                REQUIRE(fault == nullptr);
                REQUIRE(members.size() == 2);
                REQUIRE(members[0].inside() == text);
                REQUIRE(members[0].escaped == (*mark == '\\'));
            }
        }
    }
}

TEST_CASE("a text of a megabyte and values nested to 100 come back")
{
    MirrorFixture fixture;
    const std::string item = R"({"id":1,"text":")" + std::string(1'000'000, 'x') + R"(","deep":)" + nested(100) + "}";
    fixture.load({item});
    check_item(fixture, "1", item);
}

namespace {

// JSON of any shape: what no list of awkward values thinks of.
class AnyJson {
public:
    explicit AnyJson(unsigned seed) : random_(seed) {}

    std::string item(const std::string& key, std::size_t members)
    {
        std::string text = "{\"id\":" + key;
        for (std::size_t i = 0; i < members; ++i) {
            // Few names, so that they repeat within an item and between items, in other letters and other escapes.
            const auto name = below(3) == 0 ? string() : fmt::format("\"{}{}\"", below(2) == 0 ? "k" : "K", below(200));
            text += "," + blank() + (name == "\"id\"" ? "\"x\"" : name) + blank() + ":" + blank() + value(0) + blank();
        }
        return text + "}";
    }

    std::string value(int depth)
    {
        switch (below(depth > 5 ? 6 : 9)) {
        case 0: return "null";
        case 1: return below(2) == 0 ? "true" : "false";
        case 2: return number();
        case 3: return std::to_string(static_cast<std::int64_t>(random_()));
        case 4: return string();
        case 5:
            return fmt::format("\"{}-{:02}-{:02}T{:02}:00:00Z\"", 1960 + below(100), 1 + below(13), below(32),
                               below(25));
        case 6:
        case 7: return container('[', ']', depth);
        default: return container('{', '}', depth);
        }
    }

    std::size_t below(std::size_t limit) { return static_cast<std::size_t>(random_() % limit); }

private:
    std::string blank()
    {
        static const std::array<const char*, 6> blanks = {"", "", "", " ", "\n", "\t\r "};
        return blanks[below(blanks.size())];
    }

    std::string digits(std::size_t most)
    {
        std::string text = std::to_string(below(10));
        for (std::size_t i = below(most); i > 0 && text != "0"; --i) {
            text += std::to_string(below(10));
        }
        return text;
    }

    std::string number()
    {
        std::string text = below(3) == 0 ? "-" : "";
        text += digits(25);
        if (below(2) == 0) {
            text += "." + std::to_string(below(1'000'000)) + (below(3) == 0 ? "0" : "");
        }
        if (below(4) == 0) {
            text += fmt::format("{}{}{}", below(2) == 0 ? "e" : "E", std::array<const char*, 3>{"", "+", "-"}[below(3)],
                                below(400));
        }
        return text;
    }

    std::string string()
    {
        static const std::array<const char*, 16> pieces = {
            "a",       "B",           "select",  "'",        "\\\"",      "\\\\",           "\\/",
            "\\n",     "\\u0000",     "\\u00e9", "\xc3\xa9", "e\xcc\x81", "\\ud83d\\ude00", "\xf0\x9f\x98\x80",
            "\\ud800", "\xef\xbb\xbf"};
        std::string text = "\"";
        for (std::size_t i = below(8); i > 0; --i) {
            text += pieces[below(pieces.size())];
        }
        return text + "\"";
    }

    std::string container(char open, char close, int depth)
    {
        std::string text(1, open);
        for (std::size_t i = below(4); i > 0; --i) {
            text += text.size() > 1 ? "," : "";
            text += blank() + (open == '{' ? string() + ":" : "") + value(depth + 1) + blank();
        }
        return text + close;
    }

    std::mt19937_64 random_;
};

// Keys that SQL, JSON or people might take for one another.
const std::vector<std::string>& awkward_keys()
{
    static const std::vector<std::string> keys = {
        "7",
        "\"7\"",
        "\"07\"",
        "\"7.0\"",
        "-7",
        "0",
        "9223372036854775807",
        "18446744073709551616",
        "\"\"",
        "\" \"",
        "\"a\"",
        "\"A\"",
        "\"a \"",
        "\"'\"",
        R"("\"")",
        R"("\\")",
        "\"%\"",
        "\"NULL\"",
        "\"null\"",
        "\"\xc3\xa9\"",
        "\"e\xcc\x81\"",
        R"("\n")",
        R"("[1,2]")",
        R"("\u0000")",
    };
    return keys;
}

}  // namespace

TEST_CASE("a number beyond the range of a double stands in its column as the end of the range that it lies beyond")
{
    MirrorFixture fixture;
    const std::string zeros(400, '0');
    fixture.load(
        {fmt::format(R"({{"id":1,"v":0.{0}1}},{{"id":2,"v":1{0}}},{{"id":3,"v":1{0}e-800}},{{"id":4,"v":-1{0}.5}},)"
                     R"({{"id":5,"v":1e99999999999999999999}},{{"id":6,"v":-0.{0}1e-99999999999999999999}},)"
                     R"({{"id":7,"v":0.{0}1e800}})",
                     zeros)});
    CHECK(fixture.sql("SELECT CASE WHEN v > 1e300 THEN 'huge' WHEN v < -1e300 THEN '-huge' ELSE v END FROM things") ==
          std::vector<std::string>{"0.0", "huge", "0.0", "-huge", "huge", "0.0", "huge"});
    CHECK(fixture.item("7") == fmt::format(R"({{"id":7,"v":0.{}1e800}})", zeros));
}

TEST_CASE("items of any shape, with 500 members and keys of any text, come back equal, page by page and pass by pass")
{
    const auto seed = GENERATE(range(0U, sanitized ? 8U : 25U));
    INFO("seed " << seed);
    AnyJson any(seed);
    MirrorFixture fixture;
    std::map<std::string, std::string> items;
    const auto& keys = awkward_keys();
    for (int pass = 0; pass < 3; ++pass) {
        std::vector<std::string> pages;
        for (std::size_t i = 0; i < keys.size(); ++i) {
            if (pass == 0 || any.below(2) == 0) {
                items[keys[i]] = any.item(keys[i], i == 3 ? 500 : any.below(40));
            }
            if (i % 5 == 0) {
                pages.emplace_back();
            }
            pages.back() += (pages.back().empty() ? "" : ",") + items[keys[i]];
        }
        CHECK(fixture.load(pages).rows == keys.size());
        if (pass == 1) {
            fixture.reopen();
        }
        for (const auto& [key, sent] : items) {
            check_item(fixture, key, sent);
        }
        check_none_differs(fixture, pages);
    }
    CHECK(fixture
              .load({[&] {
                  std::string page;
                  for (const auto& [key, sent] : items) {
                      page += (page.empty() ? "" : ",") + sent;
                  }
                  return page;
              }()})
              .unchanged == keys.size());
}
