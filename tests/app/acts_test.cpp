// What people do to a library stands in its mirror, with who did it.
#include "app/troubles/daemon_bench.hpp"
#include "storage/sqlite.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

#include <filesystem>

using namespace shelfd;

namespace {

// "VERB TABLE RESULT USER" of each act, the oldest first.
std::vector<std::string> acts(const std::string& mirror)
{
    auto database = storage::Database::open(mirror, storage::OpenMode::read_only);
    REQUIRE(database);
    auto statement =
        database->prepare("SELECT mode || ' ' || resource || ' ' || result || ' ' || ifnull(asked_by, '?') "
                          "FROM _runs WHERE result IN ('done', 'not done') ORDER BY rowid");
    REQUIRE(statement);
    std::vector<std::string> all;
    for (auto row = statement->step(); row && *row; row = statement->step()) {
        all.emplace_back(statement->text(0));
    }
    return all;
}

}  // namespace

TEST_CASE("a command that writes the configuration stands in the runs of its library, done or not, by its present name")
{
    DaemonBench bench;
    bench.pass_time(std::chrono::minutes(20));
    const auto before = acts(bench.mirror()).size();
    bench.options().of_library["antwerp"] = "paused = true\n";
    REQUIRE(bench.reload_for("library pause", "antwerp"));
    bench.options().of_library["antwerp"] = "no_such_key = 1\n";
    REQUIRE_FALSE(bench.reload_for("library resume", "antwerp"));
    bench.options().of_library.clear();
    REQUIRE(bench.reload_for("library resume", "antwerp"));
    REQUIRE(bench.reload_for("reload", ""));
    REQUIRE(bench.reload_for("library pause", "bruges"));  // nobody's
    auto found = acts(bench.mirror());
    found.erase(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(before));
    CHECK(found == std::vector<std::string>{"library pause  done erik", "library resume  not done erik",
                                            "library resume  done erik"});

    bench.options().libraries = {"antwerpen", "ghent"};
    bench.options().of_library.erase("antwerp");
    bench.options().of_library["antwerpen"] = "formerly = \"antwerp\"\n";
    std::filesystem::copy_file(bench.files / "secret_antwerp", bench.files / "secret_antwerpen");
    const auto renamed = bench.reload_for("library rename", "antwerpen");
    INFO((renamed ? std::string() : renamed.error().text()));
    REQUIRE(renamed);
    CHECK(acts(bench.mirror("antwerpen")).back() == "library rename  done erik");
}

TEST_CASE("a reload stands in the runs of the libraries that it opens again, beside the command that asked for it")
{
    DaemonBench bench;
    bench.pass_time(std::chrono::minutes(20));
    const auto of_antwerp = acts(bench.mirror()).size();
    const auto of_ghent = acts(bench.mirror("ghent")).size();
    bench.options().of_library["ghent"] = "paused = true\n";
    REQUIRE(bench.reload_for("reload", ""));
    CHECK(acts(bench.mirror()).size() == of_antwerp);
    CHECK(acts(bench.mirror("ghent")).size() == of_ghent + 1);
    CHECK(acts(bench.mirror("ghent")).back() == "reload  done erik");
    bench.options().of_library["ghent"].clear();
    bench.options().of_library["antwerp"] = "paused = true\n";
    REQUIRE(bench.reload_for("library pause", "antwerp"));
    CHECK(acts(bench.mirror()).size() == of_antwerp + 1);
    CHECK(acts(bench.mirror()).back() == "library pause  done erik");
    CHECK(acts(bench.mirror("ghent")).size() == of_ghent + 2);
    CHECK(acts(bench.mirror("ghent")).back() == "reload  done erik");
}

TEST_CASE("get, probe, silence and the end of a consumer stand in the runs, too, and what only looks does not")
{
    DaemonBench bench;
    bench.pass_time(std::chrono::minutes(20));
    const auto before = acts(bench.mirror()).size();
    const auto of_ghent = acts(bench.mirror("ghent")).size();
    auto& operations = bench.operations();
    const auto by = [](const char* verb) { return control::Actor{"erik", verb}; };
    REQUIRE(bench.clock.run(operations.get({"antwerp", "/api/v2/library/recipes/", by("get")})));
    REQUIRE_FALSE(bench.clock.run(operations.get({"antwerp", "no path", by("get")})));
    control::ProbeRequest probe;
    probe.library = "antwerp";
    probe.paths = {"/api/v2/library/recipes/"};
    probe.actor = by("probe");
    REQUIRE(bench.clock.run(operations.probe(std::move(probe), [](const auto&) {})));
    REQUIRE(bench.clock.run(operations.silence({"antwerp", std::chrono::hours(1), by("silence")})));
    REQUIRE(bench.clock.run(operations.held({"antwerp", "recipes"})));
    control::AcknowledgeRequest forget;
    forget.library = "antwerp";
    forget.consumer = "bi";
    forget.asked_by = "erik";
    forget.actor = by("changes forget");
    REQUIRE_FALSE(bench.clock.run(operations.forget_consumer(std::move(forget))));
    CHECK(acts(bench.mirror("ghent")).size() == of_ghent);
    REQUIRE(bench.clock.run(operations.silence({"", Duration(0), by("silence")})));
    auto found = acts(bench.mirror());
    found.erase(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(before));
    CHECK(found == std::vector<std::string>{"get  done erik", "get  not done erik", "probe  done erik",
                                            "silence  done erik", "changes forget  not done erik",
                                            "silence  done erik"});
    CHECK(acts(bench.mirror("ghent")).size() == of_ghent + 1);
}

TEST_CASE("what a person does to a library stands in its runs with user and verb, done or not")
{
    DaemonBench bench;
    bench.pass_time(std::chrono::minutes(20));
    const auto before = acts(bench.mirror()).size();
    auto& operations = bench.operations();
    const auto by = [](const char* verb) { return control::Actor{"erik", verb}; };
    REQUIRE(bench.clock.run(operations.snapshot({"antwerp", by("snapshot")})));
    control::ImportRequest import;
    import.library = "antwerp";
    import.pasted = Secret(std::string("nonsense"));
    import.actor = by("auth import");
    REQUIRE_FALSE(bench.clock.run(operations.import_set(std::move(import))));
    control::VerifyRequest verify;
    verify.library = "antwerp";
    verify.resource = "recipes";
    verify.sample = 1;
    verify.actor = by("verify");
    REQUIRE(bench.clock.run(operations.verify(std::move(verify), [](const auto&) {})));
    control::MoveOutRequest move;
    move.library = "antwerp";
    move.where = "mirror2";
    move.actor = by("auth move-out");
    REQUIRE(bench.clock.run(operations.move_out(std::move(move))));
    REQUIRE(bench.clock.run(operations.adopt({"antwerp", by("auth adopt")})));
    auto found = acts(bench.mirror());
    found.erase(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(before));
    CHECK(found == std::vector<std::string>{"snapshot  done erik", "auth import  not done erik",
                                            "verify recipes done erik", "auth move-out  done erik",
                                            "auth adopt  done erik"});
}
