#include "app/configuration/reloader.hpp"

#include "app/library_bench.hpp"
#include "app/operations/removal_operation.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

#include <filesystem>

using namespace shelfd;
using namespace std::chrono_literals;

namespace {

// A daemon's configuration, in which no library runs, beside the services of a bench.
struct ReloadBench {
    LibraryBench library;
    std::string file = library.files / "shelfd.toml";
    app::EffectiveConfiguration configuration{file, {}, {}, library.clock.now()};
    app::LibrarySet libraries{*library.parts};
    app::DaemonLog log{library.parts->log, nullptr};
    std::vector<std::string> heard;
    app::Reloader reloader{
        *library.parts,
        configuration,
        libraries,
        log,
        "",
        {.begins = [this] { heard.emplace_back("begins"); },
         .ended = [this] { heard.emplace_back("ended"); },
         .failed = [this](const std::string&, const std::exception_ptr&) { heard.emplace_back("failed"); }}};

    Result<control::ReloadReport> reload() { return library.clock.run(reloader.reload()); }
};

}  // namespace

TEST_CASE("a reload that is refused leaves what is in effect, says why in the status, and is announced all the same")
{
    ReloadBench bench;
    write_file(bench.file, "[storage\n");
    const auto report = bench.reload();
    REQUIRE_FALSE(report);
    CHECK(report.error().kind() == ErrorKind::config);
    CHECK(bench.heard == std::vector<std::string>{"begins", "ended"});
    REQUIRE(bench.configuration.notices().size() == 1);
    CHECK(bench.configuration.notices()[0].text.find("the last reload was refused: ") == 0);
    CHECK(bench.library.log_lines.back().find("reload refused; the running configuration stays in use:") == 0);
}

TEST_CASE("a library that cannot be opened by a reload is named in its report, with the reason")
{
    ReloadBench bench;
    bench.library.stop();
    const auto mirrors = bench.library.parts->storage.mirrors;
    std::filesystem::create_directory(mirrors + "/.forgotten");
    write_file(mirrors + "/.forgotten/lib01", "journal 1 2 3\n");
    write_file(bench.file, fmt::format("[service]\nbase_url = \"https://service.test\"\n"
                                       "[resource.recipes]\npath = \"/api/v2/library/recipes/\"\nevery = \"15m\"\n"
                                       "[library.lib01]\nclient_id = \"x\"\nclient_secret = {{ file = \"{}\" }}\n",
                                       bench.library.files / "client_secret"));
    bench.library.clock.run(bench.libraries.retire("lib01", "it could not be opened"));
    const auto report = bench.reload();
    INFO((report ? std::string() : report.error().text()));
    REQUIRE(report);
    REQUIRE(report->absent.size() == 1);
    CHECK(report->absent[0].library == "lib01");
    CHECK(report->absent[0].why.find("remove that file, then: shelfctl reload") != std::string::npos);
    REQUIRE_FALSE(report->warnings.empty());
    CHECK(report->warnings.back() == "lib01 is not running: " + report->absent[0].why);
}

TEST_CASE("a rehearsed reload says what a reload would warn of, and changes nothing")
{
    ReloadBench bench;
    bench.library.stop();
    const auto table = [&](const std::string& name, const std::string& more) {
        return fmt::format("[service]\nbase_url = \"https://service.test\"\n"
                           "[resource.recipes]\npath = \"/api/v2/library/recipes/\"\nevery = \"15m\"\n"
                           "[library.{}]\nclient_id = \"x\"\nclient_secret = {{ file = \"{}\" }}\n{}",
                           name, bench.library.files / "client_secret", more);
    };
    const auto rehearse = [&] { return bench.library.clock.run(bench.reloader.rehearse()); };
    // Of lib01 everything is kept, and lib1 may be its new name.
    write_file(bench.file, table("lib1", ""));
    const auto renamed = rehearse();
    INFO((renamed ? std::string() : renamed.error().text()));
    REQUIRE(renamed);
    REQUIRE(renamed->warnings.size() == 1);
    CHECK(renamed->warnings[0].find("lib01 is no longer configured; its token set and its mirror are kept") == 0);
    CHECK(renamed->warnings[0].find("shelfctl library rename lib01 lib1") != std::string::npos);
    // A rename that the configuration knows needs no warning.
    write_file(bench.file, table("lib1", "formerly = \"lib01\"\n"));
    const auto known = rehearse();
    REQUIRE(known);
    CHECK(known->warnings.empty());
    // A fault is the refusal that a reload would be.
    write_file(bench.file, "[storage\n");
    const auto refused = rehearse();
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind() == ErrorKind::config);
    CHECK(bench.heard.empty());
    CHECK(bench.configuration.notices().empty());
    CHECK(bench.configuration.libraries().empty());
    CHECK(bench.reloader.kept().empty());
}

TEST_CASE("a kept token set that could be revoked is not removed while its library is not configured")
{
    const bool has_another = GENERATE(true, false);
    INFO((has_another ? "another library is configured" : "no library is configured any more"));
    ReloadBench bench;
    bench.library.stop();
    const auto another = fmt::format("[library.ghent]\nclient_id = \"x\"\nclient_secret = {{ file = \"{}\" }}\n",
                                     bench.library.files / "client_secret");
    write_file(bench.file, "[service]\nbase_url = \"https://service.test\"\n"
                           "revocation_path = \"/oauth2/revoke_token/\"\n"
                           "[resource.recipes]\npath = \"/api/v2/library/recipes/\"\nevery = \"15m\"\n" +
                               (has_another ? another : ""));
    REQUIRE(bench.reload());
    const auto remove = [&](bool without_revocation) {
        return bench.library.clock.run(
            app::remove_library(bench.libraries, bench.reloader, {"lib01", without_revocation}));
    };
    const auto refused = remove(false);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind() == ErrorKind::needs_person);
    CHECK(refused.error().text().find("nothing was removed: lib01 is not configured any more") == 0);
    CHECK(refused.error().text().find("shelfctl library forget lib01 --no-revoke") != std::string::npos);
    const auto removed = remove(true);
    INFO((removed ? std::string() : removed.error().text()));
    REQUIRE(removed);
    CHECK(removed->why_not_revoked == "--no-revoke was given");
    if (has_another) {
        bench.library.clock.run(bench.libraries.retire("ghent", "the test ends"));
    }
}

TEST_CASE("once the daemon stops no reload begins")
{
    ReloadBench bench;
    bench.reloader.close();
    const auto report = bench.reload();
    REQUIRE_FALSE(report);
    CHECK(report.error().kind() == ErrorKind::stopped);
    CHECK(bench.heard.empty());
}
