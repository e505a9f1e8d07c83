#include "ctl/screen/table.hpp"

#include "ctl/captured_terminal.hpp"
#include "support/catch.hpp"

#include <clocale>

namespace shelfd::ctl {
namespace {

// Widths are those of a UTF-8 locale, whatever the tests run under.
struct Utf8 {
    Utf8() { std::setlocale(LC_CTYPE, "C.UTF-8"); }
};

TEST_CASE("columns are as wide as what stands in them, on the screen")
{
    const Utf8 locale;
    CapturedTerminal captured;
    Table table({{"NAME"}, {"ROWS", Align::right}, {"NOTE"}});
    table.add({{"crème brûlée"}, {"7"}, {"ok"}});
    table.add({{"寿司"}, {"1200"}, {""}});
    table.add({{"e\u0301clair"}, {""}, {"two\nlines\x01"}});
    CHECK(table.take(captured.terminal) == "NAME          ROWS  NOTE\n"
                                           "crème brûlée     7  ok\n"
                                           "寿司          1200\n"
                                           "e\u0301clair              two\\nlines\\x01\n");
}

TEST_CASE("a table goes on below its header with the widths it began with")
{
    CapturedTerminal captured;
    Table table({{"A"}, {"B"}});
    table.add({{"1"}, {"2"}});
    CHECK(table.take(captured.terminal) == "A  B\n1  2\n");
    table.add({{"longer"}, {"2"}});
    CHECK(table.take(captured.terminal) == "longer  2\n");
}

TEST_CASE("colour adds nothing to the width")
{
    CapturedTerminal plain;
    CapturedTerminal coloured({true, true, 80});
    Table table({{"S"}, {"T"}});
    table.add({{"late", Colour::red}, {"x"}});
    CHECK(table.take(coloured.terminal) == "\x1b[1mS\x1b[0m     \x1b[1mT\x1b[0m\n\x1b[31mlate\x1b[0m  x\n");
    CHECK(plain.terminal.paint(Colour::red, "late") == "late");
}

TEST_CASE("progress is broken between words, cut to the screen, and replaced by what follows")
{
    const Utf8 locale;
    CapturedTerminal captured({true, false, 7});
    captured.terminal.show_progress("寿司 andmore");
    captured.terminal.show_progress("b");
    captured.terminal.print("done\n");
    CHECK(captured.out == "寿司\n  andm\r\x1b[K\x1b[A\x1b[Kb\r\x1b[Kdone\n");
    CapturedTerminal wide({true, false, 80});
    const std::string when = "the next request starts at 2026-11-28T07:18:53Z";
    wide.terminal.show_progress("lib01 suppliers: page 1, waiting for the request limit since 07:18:05; " + when);
    CHECK(wide.out.find("2026-11-28T07:18:53Z") != std::string::npos);
    CapturedTerminal file;
    file.terminal.show_progress("nobody reads this");
    CHECK(file.out.empty());
}

TEST_CASE("bytes that are no characters take a column each")
{
    const Utf8 locale;
    CHECK(display_width("a\xff\xfe") == 3);
    CHECK(display_width("") == 0);
    CHECK(cut_to_width("a\xff\xfe", 2) == "a\xff");
    CHECK(cut_to_width("寿司", 3) == "寿");
}

}  // namespace
}  // namespace shelfd::ctl
