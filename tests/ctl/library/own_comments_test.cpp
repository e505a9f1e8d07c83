#include "ctl/library/own_comments.hpp"

#include "support/catch.hpp"

namespace shelfd::ctl {
namespace {

TEST_CASE("a rename follows in the comments that shelfctl wrote, and in no other")
{
    const auto written = comment_about_library("/m", "antwerp") + "\n[library.antwerp]\n";
    CHECK(rename_in_comments(written, "antwerp", "anvers") ==
          comment_about_library("/m", "anvers") + "\n[library.antwerp]\n");
    // Another library's, a person's own words, and the last line without its end.
    for (const std::string& text :
         {comment_about_library("/m", "antwerp_2"), comment_about_library("/m", "ghent"),
          std::string("# antwerp: Mrs. Peeters, see /m/antwerp/antwerp.db\n"),
          std::string("note = \"# Its token set: shelfctl auth status antwerp\"\n\n"),
          std::string("# Its token set: shelfctl auth status antwerp or not"), std::string()}) {
        CHECK(rename_in_comments(text, "antwerp", "anvers") == text);
    }
    CHECK(rename_in_comments("# Its token set: shelfctl auth status antwerp", "antwerp", "anvers") ==
          "# Its token set: shelfctl auth status anvers");
}

}  // namespace
}  // namespace shelfd::ctl
