#include "ctl/setup/init_plan.hpp"

#include "config/load.hpp"
#include "support/catch.hpp"
#include "support/temp_directory.hpp"

#include <filesystem>

namespace shelfd::ctl {
namespace {

bool holds(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

InitPlan plan_of_partner()
{
    InitPlan plan;
    plan.base_url = "https://api.example.com";
    plan.client_id = "partner";
    plan.library = "antwerp";
    return plan;
}

TEST_CASE("the application is a table that further libraries share, unless a file has it already")
{
    auto plan = plan_of_partner();
    InstallationPlaces places{true, true, "/e/shelfd.toml", "/m", "/t", "/s"};
    const auto text = main_file(plan, places, std::nullopt, "");
    CHECK(holds(text, "[application.main]\nclient_id = \"partner\"\nclient_secret = { file = \"/e/secrets/main\" }\n"));
    CHECK(library_file(plan, places, Paused::no, "").ends_with("\n[library.antwerp]\napplication = \"main\"\n"));
    CHECK(holds(library_file(plan, places, Paused::no, "42"), "library_id = 42  # a token set of another"));
    CHECK(holds(library_file(plan, places, Paused::no, "a b"), "library_id = \"a b\""));
    plan.application = {"ours", true};
    CHECK_FALSE(holds(main_file(plan, places, std::nullopt, ""), "client_"));
    CHECK(holds(library_file(plan, places, Paused::no, ""), "application = \"ours\"\n"));
}

TEST_CASE("a page that names library and user is written as identity, with what that is good for")
{
    const InstallationPlaces places{true, true, "/e/shelfd.toml", "/m", "/t", "/s"};
    const IdentityPage page{"/me/", "id", "user.id"};
    CHECK(holds(main_file(plan_of_partner(), places, page, ""),
                "identity = { path = \"/me/\", field = \"id\", user_field = \"user.id\" }\n# Libraries of one user "
                "share one limit"));
    CHECK(holds(main_file(plan_of_partner(), places, IdentityPage{"/me/", "id"}, ""),
                "identity = { path = \"/me/\", field = \"id\" }\n"));
}

TEST_CASE("a page that may name the library is written as a comment that only needs its first # removed")
{
    const InstallationPlaces places{true, true, "/e/shelfd.toml", "/m", "/t", "/s"};
    CHECK(holds(main_file(plan_of_partner(), places, std::nullopt, "", "/shop/current/"),
                "\n# identity = { path = \"/shop/current/\", field = \"id\" }  # names whose token it is; "));
    CHECK(holds(main_file(plan_of_partner(), places, std::nullopt, ""), "\n# identity = { path = \"…\","));
}

TEST_CASE("without root the groups are the user's own, or none; the system's are those of the package")
{
    InstallationPlaces places{true, true, "/e/shelfd.toml", "/m", "/t", "/s"};
    CHECK_FALSE(holds(main_file(plan_of_partner(), places, std::nullopt, "ada"), "readers"));
    places.of_system = false;
    CHECK(holds(main_file(plan_of_partner(), places, std::nullopt, "ada"), "readers = \"ada\"\nadmins = \"ada\"\n"));
    CHECK(holds(main_file(plan_of_partner(), places, std::nullopt, ""), "readers = \"\"\nadmins = \"\"\n"));
}

TEST_CASE("a list that was named is written unexplored, unless it could not be read")
{
    const auto lists = unexplored_lists({"/api/sales/", "/old/sales/", "/gone/"}, {{"/gone/", "HTTP 404"}});
    REQUIRE(lists.size() == 2);
    CHECK(lists[0].block.starts_with("[resource.sales]\npath = \"/api/sales/\"\nevery = \"1h\""));
    CHECK(lists[1].block.starts_with("[resource.sales_2]\npath = \"/old/sales/\"\n"));
}

TEST_CASE("without a list the example and the pause say what to type, which ends both")
{
    CHECK(holds(lists_file({}, {}), "# None is known yet. Replace this one by what shelfctl probe LIB PATH prints, "
                                    "then: shelfctl library resume LIB\n\n[resource.first]\n"));
    InstallationPlaces places{true, true, "/e/shelfd.toml", "/m", "/t", "/s"};
    CHECK(holds(library_file(plan_of_partner(), places, Paused::yes, ""),
                "paused = true  # once conf.d/lists.toml has a list: shelfctl library resume antwerp\n"));
}

TEST_CASE("the application with the client ID is found in conf.d before there is a main file")
{
    TempDirectory directory;
    const auto main = directory / "shelfd.toml";
    CHECK(choose_application(main, {}, "x").name == "main");
    std::filesystem::create_directory(directory / "conf.d");
    write_file(directory / "conf.d/a.toml",
               "[application.main]\nclient_id = \"y\"\n[application.b]\nclient_id = \"x\"\n");
    const auto found = choose_application(main, {}, "x");
    CHECK(found.is_there);
    CHECK(found.name == "b");
    CHECK_FALSE(choose_application(main, {}, "z").is_there);
    CHECK(choose_application(main, {}, "z").name == "main_2");
}

}  // namespace
}  // namespace shelfd::ctl
