#include "ctl/screen/terminal.hpp"

#include "ctl/captured_terminal.hpp"
#include "ctl/hostile_text.hpp"
#include "ctl/screen/json_indent.hpp"
#include "ctl/screen/table.hpp"
#include "support/catch.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace shelfd::ctl {
namespace {

namespace json = boost::json;

const std::vector<std::string> colours = {"\x1b[31m", "\x1b[1m", "\x1b[0m"};
// What replaces a line of progress.
const std::string cleared = "\r\x1b[K";

std::string of_all_ways_out(const std::string& text, Terminal::Traits traits)
{
    CapturedTerminal captured(traits);
    auto& terminal = captured.terminal;
    Table table({{text}, {"B"}});
    table.add({{text, Colour::red}, {text}});
    terminal.print(text);
    terminal.print(terminal.paint(Colour::red, text));
    terminal.print(StyledText(text));
    terminal.print(table.take(terminal));
    terminal.complain(text);
    terminal.show_progress(text);
    terminal.print("\n");
    return captured.out + captured.err;
}

}  // namespace

TEST_CASE("whatever is said to people obeys no service, on a terminal and in a file")
{
    auto ours = colours;
    ours.push_back(cleared);
    for (const auto& part : hostile_parts()) {
        INFO(part.name);
        for (const bool is_terminal : {true, false}) {
            const auto output = of_all_ways_out("<" + part.text + ">", {is_terminal, is_terminal, 80});
            CHECK(what_a_terminal_would_obey(output, ours) == "");
            CHECK(output.find('<') != std::string::npos);
        }
    }
}

TEST_CASE("what is for programs stays as it is, and is made safe on a terminal only")
{
    const auto text = hostile_text();
    CapturedTerminal file;
    file.terminal.print_exact(text);
    file.terminal.print_json(text);
    CHECK(file.out == text + text);
    CapturedTerminal screen({true, true, 80});
    screen.terminal.print_exact(text);
    screen.terminal.print_json(text);
    CHECK(what_a_terminal_would_obey(screen.out) == "");
}

TEST_CASE("JSON on a terminal is JSON that means the same")
{
    const std::string value = "\u202e\u2028\u200f\x7f\xc2\x9b caf\u00e9 \U0001f4da";
    const json::value document = {{"a", {value, 1, nullptr}}, {value, value}};
    const auto sent = json::serialize(document);
    CapturedTerminal screen({true, false, 80});
    screen.terminal.print_json("\r\n" + indented(sent).value_or("") + "\r\n");
    CHECK(what_a_terminal_would_obey(screen.out) == "");
    CHECK((json::parse(screen.out) == document));
    CHECK(screen.out.find("caf\u00e9 \U0001f4da") != std::string::npos);
    CHECK(screen.out.find("\\u202e\\u2028\\u200f\\u007f\\u009b") != std::string::npos);
}

TEST_CASE("escapes show what was there")
{
    CapturedTerminal captured;
    captured.terminal.print("a\x1b[2J\xc2\x9b\u202e\xff\u00e9\tb\nc\r\n");
    CHECK(captured.out == "a\\x1b[2J\\x9b\\u202e\\xff\u00e9\tb\nc\\r\n");
}

TEST_CASE("a screen that is redrawn stays in place: the first lines that fit, and how many do not")
{
    Terminal::Traits traits;
    traits.is_terminal = true;
    traits.width = 10;
    traits.height = 6;
    CapturedTerminal captured(traits);
    captured.terminal.redraw(StyledText("headline\n12345678901\nthree\nfour\nfive\n"));
    CHECK(captured.out == "\x1b[Hheadline\x1b[K\n12345678901\x1b[K\nthree\x1b[K\n(2 more lines)\x1b[K\n\x1b[J");
    captured.out.clear();
    captured.terminal.redraw(StyledText("one\ntwo\n"));
    CHECK(captured.out == "\x1b[Hone\x1b[K\ntwo\x1b[K\n\x1b[J");
}

TEST_CASE("colours take no columns when a screen is redrawn")
{
    Terminal::Traits traits;
    traits.is_terminal = traits.colour = true;
    traits.width = 10;
    traits.height = 3;
    CapturedTerminal captured(traits);
    auto text = captured.terminal.paint(Colour::red, "1234567890");
    text += "\nlast\n";
    captured.terminal.redraw(text);
    CHECK(captured.out.find("last") != std::string::npos);
}

TEST_CASE("without a terminal a text that is redrawn is printed again")
{
    CapturedTerminal captured;
    captured.terminal.redraw(StyledText("one\n"));
    captured.terminal.redraw(StyledText("two\n"));
    CHECK(captured.out == "one\n\ntwo\n\n");
}

}  // namespace shelfd::ctl
