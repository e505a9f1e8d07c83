#include "base/words/cure.hpp"

#include "base/result.hpp"
#include "support/catch.hpp"

using namespace shelfd;

TEST_CASE("a sentence loses its cure and what joins them, and only at its end")
{
    CHECK(without_cure("no such list (404); check `path`", "check `path`") == "no such list (404)");
    CHECK(without_cure("no such name: check base_url", "check base_url") == "no such name");
    CHECK(without_cure("no such list; check `path`: what then", "check `path`") ==
          "no such list; check `path`: what then");
    CHECK(without_cure("no such list", "") == "no such list");
    CHECK(without_cure("check `path`", "check `path`") == "check `path`");
}

TEST_CASE("the cure of an error is the end of its text, whatever is said before it")
{
    Error inner(ErrorKind::config, "no such list");
    inner.advise("; ", "check `path`");
    const auto error = std::move(inner).in("recipes");
    CHECK(error.text() == "recipes: no such list; check `path`");
    CHECK(error.cure() == "check `path`");
    CHECK(without_cure(error.text(), error.cure()) == "recipes: no such list");
    CHECK(Error(ErrorKind::config, "no such list; check `path`").cure().empty());
}
