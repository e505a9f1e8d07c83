// What a trial says of the list that it mirrored, and what it leaves behind.
#include "newcomer.hpp"
#include "runtime/async/clock.hpp"
#include "site.hpp"
#include "strange_service.hpp"
#include "support/catch.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <fmt/format.h>

#include <filesystem>

using namespace shelfd;

namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

bool contains(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

const std::string sales_path = "/api/v2/sales/lines/";

// A person with the access token of the site's first customer.
struct Trial {
    explicit Trial(Site& at) : site(at) {}

    Ran of(const std::string& path, std::vector<std::string> more = {})
    {
        std::vector<std::string> line = {"try", site.service().url(), "--path",
                                         path,  "--directory",        person.home / "trial"};
        line.insert(line.end(), more.begin(), more.end());
        return person.ctl(line, site.token_response() + "\n");
    }
    // The only field of the only row.
    std::string sql(const std::string& query)
    {
        const auto ran = person.ctl({"sql", "try", "--csv", query, "--config", person.home / "trial/shelfd.toml"});
        const auto begin = ran.out.find('\n') + 1;
        return ran.out.substr(begin, ran.out.rfind('\n') - begin);
    }

    Site& site;
    Newcomer person;
};

}  // namespace

TEST_CASE("a trial of a list that is filled by windows says how much of it is there and since when")
{
    constexpr std::size_t all = 20'000;
    Site site({.world = {.rows_of = {{"sales/lines", all}}}});
    const bool has_rows = GENERATE(true, false);
    CAPTURE(has_rows);
    {
        // The seeded rows are years old.
        auto world = site.service().world();
        sim::Edit edit;
        const auto today = SystemClock().now().to_text().substr(0, 10);
        for (const auto* row : world->find_list(world->library("lib01"), "sales/lines")->ordered({})) {
            if (has_rows && edit.change.size() < 80) {
                edit.change.push_back(sim::Json::object({{"id", row->id}, {"date", today}}));
            }
        }
        world->edit("lib01", "sales/lines", edit);
    }
    Trial trial(site);
    const auto ran = trial.of(sales_path, {"--json"});
    INFO(ran.out << ran.err);
    REQUIRE(ran.code == 0);
    const auto report = json::parse(ran.out).as_object();
    const auto rows = std::stoul(trial.sql("SELECT count(*) FROM lines"));
    REQUIRE(rows < all);
    CHECK((rows >= 80) == has_rows);
    CHECK(report.at("rows").to_number<std::size_t>() == rows);
    CHECK(report.at("listed").to_number<std::size_t>() == all);
    CHECK(report.at("state") == "filling");
    CHECK(report.at("proven") == false);
    CHECK(report.at("queries").as_array().empty() != has_rows);
    CHECK(std::string(report.at("since").as_string()) ==
          trial.sql("SELECT substr(complete_from, 1, 10) FROM freshness"));

    Trial again(site);
    const auto text = again.of(sales_path);
    INFO(text.out << text.err);
    REQUIRE(text.code == 0);
    CHECK(contains(text.out, fmt::format(" of {} rows of {}, since ", all, sales_path)));
    CHECK(contains(text.out, "not proven complete yet"));
    CHECK(contains(text.out, "older rows are not in this mirror, and no query sees them."));
    CHECK(contains(text.out, "There are no rows to query.") != has_rows);
}

TEST_CASE("a trial of an empty list says that there are no rows to query")
{
    Site site({.world = {.rows_of = {{"library/recipes", 0}}}});
    Trial trial(site);
    const auto ran = trial.of(recipes_path);
    INFO(ran.out << ran.err);
    REQUIRE(ran.code == 0);
    CHECK(contains(ran.out, "recipes: 0 rows of " + recipes_path + ", proven complete"));
    CHECK(contains(ran.out, "There are no rows to query."));
    CHECK_FALSE(contains(ran.out, "no query sees them"));
}

TEST_CASE("a trial whose output is not read to its end leaves no access token behind")
{
    const StrangeService service;
    Newcomer person;
    const auto ran = run_program({"/bin/sh", "-c", R"("$0" "$@" | head -n 1)", built_program("shelfctl"), "try",
                                  service.url() + "/shop/v7/halls", "--directory", person.home / "trial"},
                                 person.environment(), std::string(StrangeService::token) + "\n");
    INFO(ran.out << ran.err);
    CHECK(contains(ran.out, "exploring /shop/v7/halls"));
    CHECK(person.files_with(StrangeService::token).empty());
    CHECK(fs::is_empty(person.home / "run"));
}

TEST_CASE("what the mirror of a trial says of the list is not how the trial ended")
{
    const StrangeService service;
    Newcomer person;
    const auto config = person.home / "trial/shelfd.toml";
    const auto ran = person.ctl({"try", service.url() + "/shop/v7/halls", "--directory", person.home / "trial"},
                                std::string(StrangeService::token) + "\n");
    INFO(ran.out << ran.err);
    REQUIRE(ran.code == 0);
    CHECK_FALSE(contains(ran.out, "needs_person"));
    const auto said = person.ctl({"sql", "try", "--csv", "SELECT state, why FROM freshness", "--config", config});
    CHECK(said.out == "state,why\nfresh,\n");
    CHECK(person.files_with(StrangeService::token).empty());
    CHECK(fs::is_empty(person.home / "run"));
}

TEST_CASE("a trial of a list whose key has no usual name says which members it may be, and --key names it")
{
    const StrangeService service;
    Newcomer person;
    const auto config = person.home / "trial/shelfd.toml";
    const auto trial = [&](std::vector<std::string> more) {
        std::vector<std::string> line = {"try", service.url() + "/shop/v7/seats", "--directory", person.home / "trial"};
        line.insert(line.end(), more.begin(), more.end());
        return person.ctl(line, std::string(StrangeService::token) + "\n");
    };
    const auto refused = trial({});
    INFO(refused.out << refused.err);
    CHECK(refused.code == 64);
    CHECK(contains(refused.err, "no member of the rows is known as a key; try again with --key NAME; members with "
                                "unique values: number, name"));
    CHECK_FALSE(contains(refused.err, "shelfctl reload"));
    const auto ran = trial({"--key", "number"});
    INFO(ran.out << ran.err);
    REQUIRE(ran.code == 0);
    CHECK(contains(ran.out, "key = \"number\"\n"));
    CHECK(person.ctl({"sql", "try", "--csv", "SELECT count(*) FROM seats", "--config", config}).out == "count(*)\n3\n");
}
