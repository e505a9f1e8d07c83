#include "app/configuration/reloader.hpp"

#include "app/library_bench.hpp"
#include "support/catch.hpp"

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

TEST_CASE("once the daemon stops no reload begins")
{
    ReloadBench bench;
    bench.reloader.close();
    const auto report = bench.reload();
    REQUIRE_FALSE(report);
    CHECK(report.error().kind() == ErrorKind::stopped);
    CHECK(bench.heard.empty());
}
