// A library that was forgotten, and one whose note of that came back with a backup.
#include "app/stores/takeover.hpp"

#include "app/library/library_set.hpp"
#include "app/library_bench.hpp"
#include "app/stores/kept_libraries.hpp"
#include "app/stores/library_removal.hpp"
#include "support/catch.hpp"

#include <filesystem>

using namespace shelfd;
namespace fs = std::filesystem;

namespace {

bool holds(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

// A library with a token set, which does not run now.
struct StoppedLibrary {
    LibraryBench bench;
    config::Libraries configured;
    app::StorePlaces places;

    StoppedLibrary()
    {
        auto library = *bench.unit->shared_library();
        library.position = {"/etc/shelfd/shelfd.toml", 7, 1};
        configured = {std::make_shared<const config::Library>(std::move(library))};
        places = app::places_of(*bench.parts);
        bench.stop();
    }
    std::string note() const { return places.storage.mirrors + "/.forgotten/lib01"; }
};

}  // namespace

TEST_CASE("a note of a removal that came back with a backup keeps the library from running, and its set from harm")
{
    StoppedLibrary stopped;
    fs::create_directory(stopped.places.storage.mirrors + "/.forgotten");
    write_file(stopped.note(), "journal 1 2 3\n");
    app::LibrarySet set(*stopped.bench.parts);
    stopped.bench.clock.run(app::finish_removals(*stopped.bench.parts, stopped.configured));
    REQUIRE(stopped.bench.clock.run(set.open(stopped.configured)));
    REQUIRE(set.absent().contains("lib01"));
    const auto why = set.absent().at("lib01").why;
    CHECK(why == stopped.note() + " was written for an earlier token set of lib01; "
                                  "remove that file, then: shelfctl reload");
    CHECK_FALSE(holds(why, "library forget"));
    CHECK(app::holds_set(stopped.places, "lib01").value_or(false));
    // The cure that is named is one.
    fs::remove(stopped.note());
    stopped.bench.clock.run(set.restore(stopped.configured));
    REQUIRE(set.find("lib01"));
    CHECK(set.find("lib01")->keeper().status().state == TokenState::good);
    stopped.bench.clock.run(set.stop());
}

TEST_CASE("a daemon whose only library was forgotten starts, and its status says what to remove where")
{
    StoppedLibrary stopped;
    REQUIRE(app::order_removal(stopped.places, "lib01"));
    stopped.bench.clock.run(app::finish_removals(*stopped.bench.parts, stopped.configured));
    CHECK_FALSE(fs::exists(stopped.places.tokens("lib01")));
    app::LibrarySet set(*stopped.bench.parts);
    const auto opened = stopped.bench.clock.run(set.open(stopped.configured));
    REQUIRE(opened);
    REQUIRE(set.absent().contains("lib01"));
    CHECK(set.absent().at("lib01").why ==
          "it was forgotten: remove [library.lib01] from /etc/shelfd/shelfd.toml, then: shelfctl reload; to begin anew "
          "after that: shelfctl library add lib01");
}
