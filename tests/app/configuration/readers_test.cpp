// Readers of a library who are not known on this machine: at the start, while the daemon runs, and in a reload.
#include "app/configuration/reloader.hpp"
#include "app/library_bench.hpp"
#include "base/accounts/unknown_account.hpp"
#include "runtime/async/task_group.hpp"
#include "storage/access/access_list.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include <unistd.h>

using namespace shelfd;
using namespace std::chrono_literals;

namespace {

constexpr std::uint32_t later_id = 64'777;

// A daemon's configuration with one library, and a name service that a test changes.
struct ReaderBench {
    LibraryBench library;
    std::string file = library.files / "shelfd.toml";
    std::optional<Account> later;  // who "shelfd-later" is; of others this machine's name service is asked
    bool answers = true;
    std::optional<app::EffectiveConfiguration> configuration;
    app::LibrarySet libraries{*library.parts};
    app::DaemonLog log{library.parts->log, nullptr};
    std::optional<app::Reloader> reloader;
    std::optional<TaskGroup> tasks;

    ReaderBench()
    {
        library.stop();
        library.parts->storage.mirrors = library.files / "mirrors";
    }
    ~ReaderBench()
    {
        if (tasks) {
            tasks->cancel();
            library.clock.run(tasks->join());
        }
        library.clock.run(libraries.stop());
    }
    ReaderBench(const ReaderBench&) = delete;
    ReaderBench& operator=(const ReaderBench&) = delete;

    void write(const std::string& more) const
    {
        write_file(file, fmt::format("[service]\nbase_url = \"https://service.test\"\n[control]\nadmins = \"\"\n"
                                     "[storage]\nmirrors = \"{0}/mirrors\"\ntokens = \"{0}/tokens\"\n"
                                     "allow_unsafe = true\n"
                                     "[resource.recipes]\npath = \"/api/v2/library/recipes/\"\nevery = \"15m\"\n"
                                     "[library.lib01]\nclient_id = \"x\"\n"
                                     "client_secret = {{ file = \"{0}/client_secret\" }}\n{1}",
                                     library.files.path(), more));
    }
    // As a daemon begins.
    Result<void> start()
    {
        auto loaded = config::load(file, {}, config::KeepOrigins::no, config::Secrets::not_now);
        REQUIRE(loaded.configuration);
        configuration.emplace(file, config::Environment(), std::move(*loaded.configuration), library.clock.now());
        auto find = [this](const std::string& name) -> Result<std::optional<Account>> {
            if (!answers) {
                return Error(ErrorKind::storage, "the name service is down");
            }
            return name == "shelfd-later" ? later : find_account(name);
        };
        reloader.emplace(
            *library.parts, *configuration, libraries, log, "",
            app::Reloader::Listeners{
                .begins = [] {},
                .ended = [] {},
                .failed = [](const std::string&, const std::exception_ptr& error) { std::rethrow_exception(error); }},
            find);
        auto opened = library.clock.run(reloader->open_libraries());
        tasks.emplace(library.loop.get_executor());
        tasks->spawn(reloader->keep_readers(), "readers");
        library.clock.settle();
        return opened;
    }
    Result<control::ReloadReport> reload() { return library.clock.run(reloader->reload()); }
    // Who is named in the access list of the library's mirror.
    std::vector<std::uint32_t> granted() const
    {
        std::vector<std::uint32_t> ids;
        const auto list = storage::read_access(library.files / "mirrors/lib01");
        REQUIRE(list);
        CHECK(list->group == 0);
        for (const auto& right : list->named) {
            ids.push_back(right.id);
        }
        return ids;
    }
    bool logged(const std::string& part) const
    {
        return std::any_of(library.log_lines.begin(), library.log_lines.end(),
                           [&part](const auto& line) { return line.find(part) != std::string::npos; });
    }
};

}  // namespace

TEST_CASE("a reader whom nobody knows keeps no library from running, and is granted the mirror once he is known")
{
    ReaderBench bench;
    bench.write("readers = [\"root\", \"shelfd-later\"]\n");
    REQUIRE(bench.start());
    CHECK(bench.libraries.find("lib01") != nullptr);
    CHECK(bench.granted() == std::vector<std::uint32_t>{0});
    CHECK(bench.logged("`readers` of lib01 names shelfd-later, who gets no access"));
    REQUIRE(bench.reloader->notices().size() == 1);
    CHECK(bench.reloader->notices()[0].do_this.starts_with("sudo groupadd shelfd-later"));
    REQUIRE(bench.configuration->readers().size() == 1);
    CHECK(bench.configuration->readers()[0].readers.size() == 1);  // nobody else may look

    const auto before = bench.libraries.find("lib01");
    bench.later = Account{Account::Kind::group, later_id, "shelfd-later"};
    bench.library.pass_time(61s);
    CHECK(bench.granted() == std::vector<std::uint32_t>{0, later_id});
    CHECK(bench.reloader->notices().empty());
    CHECK(bench.configuration->readers()[0].readers.size() == 2);
    CHECK(bench.libraries.find("lib01") != before);

    // A name service that is down takes nothing from those it knew; an account that was deleted loses its rights.
    bench.answers = false;
    bench.library.pass_time(11min);
    CHECK(bench.granted() == std::vector<std::uint32_t>{0, later_id});
    bench.answers = true;
    bench.later.reset();
    bench.library.pass_time(11min);
    CHECK(bench.granted() == std::vector<std::uint32_t>{0});
    CHECK(bench.reloader->notices().size() == 1);
}

TEST_CASE("a mirror whose readers are all unknown is for the daemon alone, and not for the group of its directory")
{
    ReaderBench bench;
    bench.write("readers = [\"shelfd-later\"]\n");
    bench.answers = false;
    REQUIRE(bench.start());
    CHECK(bench.granted() == std::vector<std::uint32_t>{::geteuid()});
    CHECK(bench.configuration->readers().at(0).readers.empty());
    REQUIRE(bench.reloader->notices().size() == 1);
    CHECK(bench.reloader->notices()[0].text.find("the name service is down") != std::string::npos);
    const auto file = storage::read_access(bench.library.files / "mirrors/lib01/lib01.db");
    REQUIRE(file);
    CHECK(file->group == 0);
    CHECK(file->others == 0);

    bench.answers = true;
    bench.later = Account{Account::Kind::group, later_id, "shelfd-later"};
    bench.library.pass_time(61s);
    CHECK(bench.granted() == std::vector<std::uint32_t>{later_id});

    // Without `readers` the group has its rights again.
    bench.write("");
    REQUIRE(bench.reload());
    const auto list = storage::read_access(bench.library.files / "mirrors/lib01");
    REQUIRE(list);
    CHECK(list->group == (storage::may_read | storage::may_enter));
}

TEST_CASE("a reload refuses a reader who is new and unknown, and goes on with one who was deleted meanwhile")
{
    ReaderBench bench;
    bench.write("readers = [\"root\", \"shelfd-later\"]\n");
    REQUIRE(bench.start());
    bench.write("readers = [\"root\", \"shelfd-later\"]\nnote = \"x\"\n");
    const auto other = bench.reload();
    INFO((other ? std::string() : other.error().text()));
    REQUIRE(other);
    CHECK(bench.configuration->libraries()[0]->note == "x");
    REQUIRE_FALSE(other->warnings.empty());
    CHECK(other->warnings.back().find("names shelfd-later, who gets no access") != std::string::npos);

    bench.write("readers = [\"root\", \"shelfd-later\", \"shelfd-nobody\"]\n");
    const auto refused = bench.reload();
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind() == ErrorKind::config);
    CHECK(refused.error().text().find(":15:36: readers names \"shelfd-nobody\", which is neither a group nor a user of "
                                      "this machine: sudo groupadd shelfd-nobody") != std::string::npos);
    CHECK(refused.error().text().find("shelfd-later") == std::string::npos);
    CHECK(bench.configuration->libraries()[0]->note == "x");
}

TEST_CASE("a time zone that this machine no longer has keeps one library from running, not the others")
{
    LibraryBench bench;
    const auto sound = bench.unit->shared_library();
    bench.stop();
    auto elsewhere = std::make_shared<config::Library>(*sound);
    elsewhere->name = "lib02";
    elsewhere->resources.own()[0].schedule = {.interval = {}, .at = {3h}, .timezone = "Europe/Atlantis"};
    app::LibrarySet libraries(*bench.parts);
    REQUIRE(bench.clock.run(libraries.open({elsewhere, sound})));
    CHECK(libraries.find("lib01") != nullptr);
    REQUIRE(libraries.absent().size() == 1);
    CHECK(libraries.absent().at("lib02").why.find("the time zone \"Europe/Atlantis\" is unknown on this machine") !=
          std::string::npos);
    bench.clock.run(libraries.stop());

    app::LibrarySet alone(*bench.parts);
    const auto opened = bench.clock.run(alone.open({elsewhere}));
    REQUIRE_FALSE(opened);
    CHECK(opened.error().kind() == ErrorKind::config);
}
