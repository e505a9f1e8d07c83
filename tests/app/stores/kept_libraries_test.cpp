#include "app/stores/kept_libraries.hpp"

#include "support/catch.hpp"

using namespace shelfd;

TEST_CASE("what is kept of a library is told, and a rename is proposed where one is likely")
{
    struct Row {
        const char* name;
        app::KeptLibrary kept;
        std::vector<std::string> without_set;
        const char* text;
        const char* do_this;  // part of it; "" = nothing is asked for
    };
    const Row rows[] = {
        {"a set and a mirror, and a name like it",
         {"antwerp", true, true},
         {"ghent", "antwerpen"},
         "antwerp is no longer configured; its token set and its mirror are kept",
         "shelfctl library rename antwerp antwerpen"},
        {"a set alone, and one library that waits for one",
         {"antwerp", true, false},
         {"x"},
         "antwerp is no longer configured; its token set is kept",
         "shelfctl library rename antwerp x"},
        {"several that wait, none alike",
         {"antwerp", true, false},
         {"x", "y"},
         "its token set is kept (to remove it: shelfctl library forget antwerp)",
         ""},
        {"nobody waits", {"antwerp", true, true}, {}, "are kept (to remove it", ""},
        {"a mirror alone is no treasure",
         {"antwerp", false, true},
         {"antwerpen"},
         "its mirror is kept, without a token set",
         ""},
    };
    for (const auto& row : rows) {
        INFO(row.name);
        const auto notice = app::describe_kept(row.kept, row.without_set);
        CHECK(notice.text.find(row.text) != std::string::npos);
        CHECK(notice.do_this.empty() == (*row.do_this == '\0'));
        CHECK(notice.do_this.find(row.do_this) != std::string::npos);
    }
}
