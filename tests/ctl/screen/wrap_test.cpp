#include "ctl/screen/wrap.hpp"

#include "ctl/captured_terminal.hpp"
#include "ctl/screen/table.hpp"
#include "support/catch.hpp"

#include <sstream>

namespace shelfd::ctl {
namespace {

constexpr auto sentence =
    "no pass was published since 2024-01-06T06:00:00Z, because the service answered 500 to every request of that list";

std::size_t longest_line(const std::string& text)
{
    std::istringstream lines(text);
    std::size_t longest = 0;
    for (std::string line; std::getline(lines, line);) {
        longest = std::max(longest, display_width(line));
    }
    return longest;
}

TEST_CASE("lines are broken between words, and continued lines are indented")
{
    CHECK(wrap("short\n", 40) == "short\n");
    CHECK(wrap("", 40).empty());
    CHECK(wrap("one two three four\n\n  five six seven eight\n", 12) ==
          "one two\n  three four\n\n  five six\n    seven\n    eight\n");
    CHECK(wrap("averyverylongword and more", 10) == "averyverylongword\n  and more");
}

TEST_CASE("a command stays in one line if it fits, so that it can be copied")
{
    CHECK(wrap("do this now: shelfctl sync antwerp recipes; then wait", 40) ==
          "do this now:\n  shelfctl sync antwerp recipes; then\n  wait");
    CHECK(wrap("start it: sudo systemctl start shelfd", 30) == "start it:\n  sudo systemctl start shelfd");
    CHECK(wrap("shelfctl held antwerp recipes --accept and more", 20) ==
          "shelfctl held\n  antwerp recipes\n  --accept and more");
}

TEST_CASE("colours have no width")
{
    CHECK(wrap("\x1b[31mlate\x1b[0m \x1b[33mheld\x1b[0m", 9) == "\x1b[31mlate\x1b[0m \x1b[33mheld\x1b[0m");
}

TEST_CASE("a terminal breaks the lines for people, and nothing else does")
{
    Terminal::Traits traits;
    traits.is_terminal = true;
    traits.width = traits.error_width = 40;
    CapturedTerminal screen(traits);
    screen.terminal.print(std::string(sentence) + "\n");
    screen.terminal.complain(sentence);
    CHECK(longest_line(screen.out) <= 40);
    CHECK(longest_line(screen.err) <= 40);
    CHECK(screen.err.starts_with("shelfctl: no pass was published since\n  2024-01-06T06:00:00Z,"));
    screen.out.clear();
    screen.terminal.print_exact(sentence);
    CHECK(screen.out == sentence);
    CapturedTerminal pipe;
    pipe.terminal.print(sentence);
    CHECK(pipe.out == sentence);
}

TEST_CASE("the last column of a table continues below itself")
{
    CapturedTerminal screen({true, false, 50});
    Table table({{"TABLE"}, {"WHY"}});
    table.add({{"recipes"}, {sentence}});
    table.add({{"stock"}, {"fine"}});
    const auto text = table.take(screen.terminal).bytes();
    CHECK(text == "TABLE    WHY\n"
                  "recipes  no pass was published since\n"
                  "           2024-01-06T06:00:00Z, because the\n"
                  "           service answered 500 to every request\n"
                  "           of that list\n"
                  "stock    fine\n");
    CapturedTerminal pipe;
    Table whole({{"TABLE"}, {"WHY"}});
    whole.add({{"recipes"}, {sentence}});
    CHECK(whole.take(pipe.terminal).bytes() == "TABLE    WHY\nrecipes  " + std::string(sentence) + "\n");
}

}  // namespace
}  // namespace shelfd::ctl
