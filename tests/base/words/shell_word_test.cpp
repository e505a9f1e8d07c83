#include "base/words/shell_word.hpp"
#include "support/catch.hpp"
#include "support/process.hpp"

#include <string>
#include <vector>

namespace shelfd {
namespace {

TEST_CASE("a word that a shell takes as it is stays readable")
{
    for (const std::string word : {"/var/lib/shelfd/tokens", "antwerp", "user@host:/x_1,2+3%4=5", "0640", "-x"}) {
        CHECK(shell_word(word) == word);
    }
}

TEST_CASE("a shell reads each word as it was, whatever is in it")
{
    const std::vector<std::string> words = {
        "",     "my trial", "it's", "a\"b",       "$HOME",       "`id`",        "$(id)", "a;b&c|d", "~", "*",
        "[a]?", "#x",       "=x",   "two\nlines", "back\\slash", "caf\xc3\xa9", "{a,b}", "!!",      "''"};
    for (const auto& word : words) {
        CAPTURE(word);
        const auto ran = run_program({"/bin/sh", "-c", "printf '%s.' " + shell_word(word)});
        CHECK(ran.code == 0);
        CHECK(ran.out == word + ".");
    }
}

}  // namespace
}  // namespace shelfd
