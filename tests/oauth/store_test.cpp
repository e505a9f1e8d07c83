// The keeper on a real disk.
#include "keeper_rig.hpp"
#include "support/catch.hpp"
#include "support/scratch_directory.hpp"

#include <cstdlib>
#include <filesystem>

#include <unistd.h>

namespace shelfd::oauth {
namespace {

Directories directories_in(const ScratchDirectory& scratch)
{
    return {scratch / "tokens", scratch / "copy", scratch.path()};
}

Store real_store(const ScratchDirectory& scratch)
{
    auto store = open_store(directories_in(scratch), "antwerp", storage::Safety::waived);
    REQUIRE(store);
    return std::move(*store);
}

TEST_CASE("sets live on a real disk from one life to the next")
{
    const ScratchDirectory scratch;
    std::string refresh;
    for (int life = 0; life < 3; ++life) {
        KeeperRig rig;
        rig.real_store = real_store(scratch);
        for (int i = 0; i < 3 * life; ++i) {
            rig.service.issue();
        }
        rig.start();
        // Whoever watches reads the status while the journals are being written.
        std::size_t looks = 0;
        rig.keeper().set_observer([&rig, &looks] { looks += rig.keeper().status().reason.size() + 1; });
        if (life > 0) {
            REQUIRE(rig.keeper().status().fingerprint == refresh);
        }
        rig.service.issue();
        REQUIRE(rig.import(rig.service.response(), ImportMode::seal));
        REQUIRE(rig.access_text() == rig.service.access());
        refresh = fingerprint(Secret(rig.service.refresh()));
        REQUIRE(looks > 0);
        rig.stop();
    }
}

TEST_CASE("a store has one owner, and the second one is told which process has it")
{
    const ScratchDirectory scratch;
    const auto first = real_store(scratch);
    const auto second = open_store(directories_in(scratch), "antwerp", storage::Safety::waived);
    REQUIRE_FALSE(second);
    REQUIRE(second.error().kind() == ErrorKind::busy);
    REQUIRE(second.error().text().find("process " + std::to_string(::getpid())) != std::string::npos);
    REQUIRE(open_store(directories_in(scratch), "ghent", storage::Safety::waived));
}

TEST_CASE("opening a store makes two private journals of their full size and no refuge")
{
    const ScratchDirectory scratch;
    const auto store = real_store(scratch);
    REQUIRE(store.a());
    REQUIRE(store.b());
    REQUIRE_FALSE(store.refuge.find());
    const auto directories = directories_in(scratch);
    for (const auto& path :
         {directories.tokens + "/antwerp/journal.a", directories.tokens_copy + "/antwerp/journal.b"}) {
        REQUIRE(std::filesystem::file_size(path) == journal_size);
        REQUIRE((std::filesystem::status(path).permissions() & std::filesystem::perms::all) ==
                (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
    }
    REQUIRE(store.refuge.make());
    REQUIRE(store.refuge.find());
}

}  // namespace
}  // namespace shelfd::oauth
