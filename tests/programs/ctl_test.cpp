// shelfctl against the daemon: what it tells, and how it ends.
#include "site.hpp"
#include "support/catch.hpp"

#include <chrono>
#include <regex>

using namespace shelfd;
using namespace std::chrono_literals;

namespace {

std::uint64_t requests(Site& site)
{
    return site.service().world()->audit_report().total;
}

sim::Fault faulty_recipes()
{
    sim::Fault fault;
    fault.path = recipes_path;
    fault.times = std::nullopt;
    return fault;
}

}  // namespace

TEST_CASE("status exits 3 without a daemon, 2 when somebody must act, 1 while tables fill, 0 when all is fresh")
{
    Site site;
    const auto none = site.ctl({"status"});
    CHECK(none.code == 3);
    CHECK(none.err.find(site.socket()) != std::string::npos);

    auto daemon = site.start_ready();
    const auto no_set = site.ctl({"status"});
    INFO(no_set.out);
    CHECK(no_set.code == 2);
    CHECK(no_set.out.find("shelfctl auth import antwerp") != std::string::npos);

    auto slow = faulty_recipes();
    slow.delay = 60s;
    site.service().world()->faults.add(slow);
    site.import_set();
    const auto filling = site.ctl({"status"});
    INFO(filling.out);
    CHECK(filling.code == 1);
    CHECK(daemon->stop().code == 0);

    site.service().world()->faults.clear();
    daemon = site.start_ready();
    site.ctl_done({"wait", "--timeout", "5m"});
    const auto fresh = site.ctl({"status"});
    INFO(fresh.out);
    CHECK(fresh.code == 0);
    daemon->kill();
    CHECK(site.ctl({"status"}).code == 3);
}

TEST_CASE("wait starts nothing, gives up in time with exit 75, and says what it waits for")
{
    Site site;
    auto daemon = site.start_synced();
    site.service().world()->reset_audit();
    const auto waited = site.ctl({"wait", "--fresh", "0s", "--timeout", "1s"});
    INFO(waited.out << waited.err);
    CHECK(waited.code == 75);
    CHECK((waited.out + waited.err).find("recipes") != std::string::npos);
    CHECK(requests(site) == 0);
    CHECK(site.ctl({"wait", "--fresh", "1h"}).code == 0);
    CHECK(requests(site) == 0);
}

TEST_CASE("sync tells how it goes, page by page as JSON, in a sentence for people")
{
    Site site({.world = {.rows_of = {{"library/recipes", 500}}}});
    auto daemon = site.start_synced();
    const auto lines = site.ctl_done({"sync", "antwerp", "recipes", "--json"});
    INFO(lines);
    CHECK(lines.find("\"state\":\"running\"") != std::string::npos);
    CHECK(lines.find("\"state\":\"ended\"") != std::string::npos);
    CHECK(lines.find("\"rows\":500") != std::string::npos);
    CHECK(lines.find("\"event\":\"done\"") != std::string::npos);
    const auto sentence = site.ctl_done({"sync", "antwerp"});
    INFO(sentence);
    CHECK(sentence.find("antwerp recipes: 500 rows, 0 added, 0 changed, 0 deleted") != std::string::npos);

    CHECK(site.ctl({"sync", "ghent"}).code == 64);
    const auto unknown = site.ctl({"sync", "antwerp", "flavours"});
    INFO(unknown.err);
    CHECK(unknown.code == 64);
    CHECK(unknown.err.find(
              "library antwerp has no table flavours (it has: recipes); all of them: shelfctl status antwerp") !=
          std::string::npos);
    CHECK(site.ctl_done({"sync", "--all"}).find("antwerp recipes: 500 rows, 0 added") != std::string::npos);
    CHECK(site.ctl_done({"wait", "antwerp", "--as-of", "2020-01-01T00:00:00Z"}).find("or later") != std::string::npos);
    const auto verb = site.ctl({"snyc", "antwerp"});
    CHECK(verb.code == 64);
    CHECK(verb.err == "shelfctl: unknown verb \"snyc\"; did you mean: shelfctl sync\nTry: shelfctl --help\n");
    CHECK(site.ctl_done({"completion", "tables", "antwerp"}) == "recipes\n");
    CHECK(site.ctl_done({"completion", "libraries"}) == "antwerp\n");
}

TEST_CASE("sync of a list that is forbidden says whom to ask, exits as a failure, and keeps the rows")
{
    Site site;
    auto daemon = site.start_synced();
    auto forbidden = faulty_recipes();
    forbidden.status = 403;
    forbidden.body = R"({"detail":"You do not have permission to perform this action."})";
    forbidden.content_type = "application/json";
    forbidden.acts = false;
    site.service().world()->faults.add(forbidden);
    const auto refused = site.ctl({"sync", "antwerp"});
    INFO(refused.out << refused.err);
    CHECK(refused.code != 0);
    const auto status = site.ctl({"status"});
    INFO(status.out);
    CHECK(status.code == 2);
    CHECK(status.out.find("ask the owner of antwerp") != std::string::npos);
    CHECK(site.sql("SELECT state FROM freshness WHERE resource = 'recipes'") == "forbidden");
    CHECK(site.sql("SELECT count(*) FROM recipes") == "100");
    CHECK(site.service().world()->audit_report().reuses_of_spent == 0);

    site.service().world()->faults.clear();
    site.ctl_done({"sync", "antwerp"});
    CHECK(site.ctl({"status"}).code == 0);
}

TEST_CASE("sql answers without a daemon, as table, CSV and JSON, and writes nothing whatever it is told")
{
    Site site;
    site.start_synced()->stop();
    CHECK(site.ctl_done({"sql", "antwerp", "SELECT count(*) AS n FROM recipes"}).find("100") != std::string::npos);
    CHECK(site.ctl_done({"sql", "antwerp", "--csv", "SELECT 1 AS a, 'x,\"y' AS b"}) == "a,b\n1,\"x,\"\"y\"\n");
    const auto rows = site.ctl_done({"sql", "antwerp", "--json", "SELECT 1 AS a, NULL AS b"});
    CHECK(std::regex_search(rows, std::regex("\\{ *\"a\": *1, *\"b\": *null *\\}")));
    for (const std::string statement :
         {"DELETE FROM recipes", "UPDATE recipes SET name = 'x'", "DROP TABLE recipes", "CREATE TABLE x (y)",
          "INSERT INTO _meta VALUES ('a', 'b')", "PRAGMA user_version = 99", "VACUUM INTO '/tmp/shelfd-stolen.db'",
          "ATTACH '/tmp/shelfd-attached.db' AS other", "SELECT 1; DELETE FROM recipes",
          "PRAGMA journal_mode = DELETE"}) {
        INFO(statement);
        const auto refused = site.ctl({"sql", "antwerp", statement});
        INFO(refused.out << refused.err);
        CHECK(refused.code != 0);
    }
    CHECK(site.sql("SELECT count(*) FROM recipes") == "100");
    CHECK(site.sql("PRAGMA journal_mode") == "wal");
    CHECK_FALSE(std::filesystem::exists("/tmp/shelfd-stolen.db"));
    CHECK_FALSE(std::filesystem::exists("/tmp/shelfd-attached.db"));
    CHECK(site.ctl({"sql", "ghent", "SELECT 1"}).code != 0);
}

TEST_CASE("a command whose standard input is closed ends like one whose input is empty")
{
    Site site;
    auto daemon = site.start_ready();
    const std::vector<std::vector<std::string>> lines = {
        {"auth", "import", "antwerp"},
        {"auth", "move-in", "antwerp"},
        {"auth", "move-in", "--all"},
        {"try", site.service().url(), "--path", recipes_path, "--directory", site.directory() / "trial"},
    };
    for (const auto& line : lines) {
        const auto ran = site.ctl(line, "", {"/usr/bin/timeout", "60", "/bin/sh", "-c", "exec \"$@\" <&-", "sh"});
        INFO(line.back() << ": " << ran.out << ran.err);
        CHECK(ran.code == 64);
        CHECK(ran.err.find(" was given") != std::string::npos);
    }
}

TEST_CASE("output that is lost because standard output is closed is an error of both programs")
{
    Site site;
    for (const auto* closed : {">&-", "<&- >&-", "<&- >&- 2>&-"}) {
        INFO(closed);
        const std::vector<std::string> under = {"/bin/sh", "-c", std::string("exec \"$@\" ") + closed, "sh"};
        CHECK(site.ctl({"version"}, "", under).code == 74);
        auto line = under;
        line.insert(line.end(), {built_program("shelfd"), "--version"});
        CHECK(run_program(line, clean_environment()).code == 74);
    }
}
