// The keeper on a real disk.
#include "oauth/keeper_rig.hpp"
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
    return store_of(directories_in(scratch), "antwerp", storage::Safety::waived);
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
    REQUIRE(first.a());
    REQUIRE(first.b());
    const auto second = real_store(scratch);
    for (const auto& open : {second.a, second.b}) {
        const auto refused = open();
        REQUIRE_FALSE(refused);
        REQUIRE(refused.error().kind() == ErrorKind::busy);
        REQUIRE(refused.error().text().find("process " + std::to_string(::getpid())) != std::string::npos);
    }
    REQUIRE(store_of(directories_in(scratch), "ghent", storage::Safety::waived).a());
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

TEST_CASE("a store that is deleted under a running daemon is there again before the next start looks for it")
{
    const auto by_stop = GENERATE(false, true);
    const ScratchDirectory scratch;
    const auto directories = directories_in(scratch);
    KeeperRig rig;
    rig.real_store = real_store(scratch);
    rig.start();
    rig.give_set();
    std::filesystem::remove_all(directories.tokens + "/antwerp");
    std::filesystem::remove_all(directories.tokens_copy + "/antwerp");
    if (by_stop) {
        rig.stop();
    } else {
        rig.clock.advance_by(std::chrono::minutes(61));
        REQUIRE(rig.keeper().status().journals.copies == 2);
        const auto refused = real_store(scratch).a();
        REQUIRE_FALSE(refused);
        REQUIRE(refused.error().kind() == ErrorKind::busy);
        rig.stop();
    }
    rig.real_store = real_store(scratch);
    rig.start();
    REQUIRE(rig.keeper().status().state == TokenState::good);
    REQUIRE(rig.access_text() == rig.service.access());
}

TEST_CASE("a copy whose directory cannot be had is one copy less, and no copy at all where both cannot")
{
    const ScratchDirectory scratch;
    const auto directories = directories_in(scratch);
    KeeperRig rig;
    rig.real_store = real_store(scratch);
    rig.start();
    rig.give_set();
    rig.stop();
    const auto open_to_others = [&](const std::string& directory, bool open) {
        std::filesystem::permissions(directory + "/antwerp",
                                     open ? std::filesystem::perms(0755) : std::filesystem::perms(0700));
    };
    open_to_others(directories.tokens, true);
    rig.real_store = real_store(scratch);
    rig.start();
    REQUIRE(rig.keeper().status().state == TokenState::good);
    REQUIRE(rig.keeper().status().reason.find("chmod 0700 " + directories.tokens + "/antwerp") != std::string::npos);
    rig.stop();
    open_to_others(directories.tokens_copy, true);
    rig.real_store = real_store(scratch);
    rig.start();
    REQUIRE(rig.keeper().status().state == TokenState::unreadable);
    open_to_others(directories.tokens, false);
    open_to_others(directories.tokens_copy, false);
    rig.keeper().try_again();
    rig.clock.settle();
    REQUIRE(rig.keeper().status().state == TokenState::good);
    REQUIRE(rig.keeper().status().journals.copies == 2);
}

}  // namespace
}  // namespace shelfd::oauth
