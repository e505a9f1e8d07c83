#include "app/stores/kept_libraries.hpp"

#include "support/catch.hpp"

using namespace shelfd;

TEST_CASE("the stored data of a library is told, and a rename is proposed where one is likely")
{
    struct Row {
        const char* name;
        app::KeptLibrary kept;
        std::vector<NewName> unfilled;
        const char* text;
        const char* do_this;  // part of it; "" = nothing is asked for
    };
    const Row rows[] = {
        {"a set and a mirror, and a name like it",
         {"antwerp", true, true},
         {{"ghent", ""}, {"antwerpen", ""}},
         "antwerp is no longer configured; its token set and its mirror are kept",
         "shelfctl library rename antwerp antwerpen"},
        {"a set alone, and one library that waits for one",
         {"antwerp", true, false},
         {{"x", ""}},
         "antwerp is no longer configured; its token set is kept",
         "shelfctl library rename antwerp x"},
        {"several that wait, none alike",
         {"antwerp", true, false},
         {{"x", ""}, {"y", ""}},
         "antwerp is no longer configured; its token set is kept",
         "renamed? shelfctl library rename antwerp NEW (one of: x, y); otherwise: shelfctl library forget antwerp"},
        {"a name like it, of another library at the service",
         {"q71", true, true, {"71"}},
         {{"q73", "73"}},
         "its token set and its mirror are kept (to remove it: shelfctl library forget q71)",
         ""},
        {"a name unlike it, of the same library",
         {"lib11", true, true, {"11"}},
         {{"lib13", "13"}, {"lib12", ""}, {"antwerpen", "11"}},
         "its token set and its mirror are kept",
         "shelfctl library rename lib11 antwerpen"},
        {"set and mirror of two libraries", {"q71", true, true, {"71", "72"}}, {{"q72", "72"}}, "(to remove it", ""},
        {"nobody waits", {"antwerp", true, true}, {}, "are kept (to remove it", ""},
        {"a mirror that no set ever filled",
         {"antwerp", false, true, {}, true},
         {{"antwerpen", ""}},
         "antwerp is no longer configured; its mirror is kept, and no token set was imported yet (to remove it",
         ""},
        {"a mirror alone is no treasure",
         {"antwerp", false, true},
         {{"antwerpen", ""}},
         "its mirror is kept, without a token set",
         ""},
    };
    for (const auto& row : rows) {
        INFO(row.name);
        const auto notices = app::describe_kept({row.kept}, row.unfilled);
        REQUIRE(notices.size() == 1);
        const auto& notice = notices.front();
        CHECK(notice.text.find(row.text) != std::string::npos);
        CHECK(notice.do_this.empty() == (*row.do_this == '\0'));
        CHECK(notice.do_this.find(row.do_this) != std::string::npos);
    }
}

TEST_CASE("of several libraries that were renamed at once, each is told its own new name")
{
    const std::vector<app::KeptLibrary> kept = {
        {"lib11", true, true, {"11"}}, {"lib12", true, true, {"12"}}, {"old", false, true}, {"lib14", true, false}};
    const auto notices = app::describe_kept(kept, {{"gent", "12"}, {"antwerpen", "11"}, {"lier", ""}});
    REQUIRE(notices.size() == 4);
    CHECK(notices[0].do_this.find("rename lib11 antwerpen;") != std::string::npos);
    CHECK(notices[1].do_this.find("rename lib12 gent;") != std::string::npos);
    CHECK(notices[2].do_this.empty());
    // What belongs to another one by its id is not proposed, so one is left.
    CHECK(notices[3].do_this.find("rename lib14 lier;") != std::string::npos);
}
