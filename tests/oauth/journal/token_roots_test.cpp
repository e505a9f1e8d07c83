// Directories of token sets whose file system is not mounted.
#include "oauth/journal/token_roots.hpp"

#include "oauth/keeper_rig.hpp"
#include "support/catch.hpp"
#include "support/scratch_directory.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

namespace shelfd::oauth {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

struct Disks {
    ScratchDirectory scratch;
    Directories directories{scratch / "tokens", scratch / "mnt/copy", scratch.path()};

    Store store(const std::string& library = "antwerp") const
    {
        return store_of(directories, library, storage::Safety::waived);
    }
    std::string note(const std::string& directory) const { return directory + "/.places"; }
};

std::string content(const std::string& path)
{
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

bool has(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

// Replaces in the note what it says of `key` by another file system.
void say_other_file_system(const std::string& note, const std::string& key, const std::string& path)
{
    auto text = content(note);
    const auto line = text.find("\n" + key + " ") + 1;
    text.replace(line, text.find('\n', line) - line, key + " 2 1 1 ext:0000000000000001 " + path);
    std::ofstream(note) << text;
}

// A keeper with a set in both places.
struct Kept {
    Disks disks;
    KeeperRig rig;

    Kept()
    {
        start();
        rig.give_set();
    }
    void start()
    {
        rig.real_store = disks.store();
        rig.start();
    }
    void restart()
    {
        rig.stop();
        start();
    }
    // The journal of the copy is complete, and holds the set in force.
    void check_whole()
    {
        CHECK(rig.keeper().status().journals.copies == 2);
        CHECK(rig.keeper().status().state == TokenState::good);
        CHECK_FALSE(rig.keeper().status().needs_person);
        const auto set = rig.keeper().status().fingerprint;
        rig.stop();
        fs::rename(disks.directories.tokens + "/antwerp", disks.scratch / "aside");
        start();
        CHECK(rig.keeper().status().fingerprint == set);
    }
};

TEST_CASE("the second copy is not made anew where its file system is not mounted")
{
    const auto while_running = GENERATE(false, true);
    CAPTURE(while_running);
    Kept kept;
    const auto& copy = kept.disks.directories.tokens_copy;
    const auto away = kept.disks.scratch / "unmounted";
    if (while_running) {
        fs::rename(copy, away);
        kept.rig.clock.advance_by(61min);
    } else {
        kept.rig.stop();
        fs::rename(copy, away);
        kept.start();
    }
    kept.rig.clock.advance_by(20min);
    CHECK_FALSE(fs::exists(copy));
    const auto status = kept.rig.keeper().status();
    CHECK(status.state == TokenState::good);
    CHECK(status.needs_person);
    CHECK(status.journals.copies == 1);
    CHECK(
        has(status.reason, "there is no directory " + copy + ", in which token sets were kept (storage.tokens_copy)"));
    CHECK(has(status.reason, "mount its file system; or, if this copy is to be written anew: rm -f " +
                                 kept.disks.note(kept.disks.directories.tokens)));

    // The set of the first place goes on, and is refreshed, late.
    const auto before = status.generation;
    kept.rig.clock.advance_by(std::chrono::hours(24 * 7));
    CHECK(kept.rig.keeper().status().generation > before);
    CHECK_FALSE(fs::exists(copy));

    // Mounted again: without a restart the older copy there is brought up to date.
    fs::rename(away, copy);
    kept.rig.clock.advance_by(16min);
    kept.check_whole();
}

TEST_CASE("an empty mount point is not taken for the second copy")
{
    Kept kept;
    const auto& copy = kept.disks.directories.tokens_copy;
    const auto note = kept.disks.note(kept.disks.directories.tokens);
    say_other_file_system(note, "tokens_copy", copy);
    kept.rig.stop();
    fs::remove_all(copy);
    fs::create_directory(copy);
    kept.start();
    kept.rig.clock.advance_by(20min);
    CHECK(fs::is_empty(copy));
    CHECK(has(kept.rig.keeper().status().reason,
              copy + " is not on the file system on which the token sets were kept (storage.tokens_copy)"));

    SECTION("no other library writes there either")
    {
        const auto other = kept.disks.store("ghent");
        CHECK(other.a());
        const auto refused = other.b();
        REQUIRE_FALSE(refused);
        CHECK(refused.error().kind() == ErrorKind::storage);
        CHECK(fs::is_empty(copy));
    }
    SECTION("a person may say that it is the new place")
    {
        fs::remove(note);
        kept.rig.clock.advance_by(16min);
        CHECK(content(note) == content(kept.disks.note(copy)));
        kept.check_whole();
    }
}

TEST_CASE("an empty mount point of the first place is not taken for a library without a set")
{
    Kept kept;
    const auto& [tokens, copy, refuge] = kept.disks.directories;
    say_other_file_system(kept.disks.note(copy), "tokens", tokens);
    kept.rig.stop();
    fs::remove_all(tokens);
    fs::create_directory(tokens);
    kept.start();
    kept.rig.clock.advance_by(20min);
    const auto status = kept.rig.keeper().status();
    CHECK(fs::is_empty(tokens));
    CHECK(status.state == TokenState::good);
    CHECK(has(status.reason, tokens + " is not on the file system on which the token sets were kept (storage.tokens)"));
    CHECK(has(status.reason, "rm -f " + kept.disks.note(copy)));
    CHECK(kept.rig.access_text() == kept.rig.service.access());
}

TEST_CASE("both places gone under a running daemon are not made anew")
{
    Kept kept;
    const auto& [tokens, copy, refuge] = kept.disks.directories;
    fs::rename(tokens, kept.disks.scratch / "a");
    fs::rename(copy, kept.disks.scratch / "b");
    kept.rig.clock.advance_by(90min);
    CHECK_FALSE(fs::exists(tokens));
    CHECK_FALSE(fs::exists(copy));
    CHECK(kept.rig.access_text() == kept.rig.service.access());
    CHECK(kept.rig.keeper().status().needs_person);
    fs::rename(kept.disks.scratch / "a", tokens);
    fs::rename(kept.disks.scratch / "b", copy);
    kept.rig.clock.advance_by(16min);
    CHECK(kept.rig.keeper().status().journals.copies == 2);
}

TEST_CASE("a store that was moved as a whole is not bound to its former places")
{
    Kept kept;
    const auto& [tokens, copy, refuge] = kept.disks.directories;
    say_other_file_system(kept.disks.note(tokens), "tokens", tokens);
    say_other_file_system(kept.disks.note(tokens), "tokens_copy", copy);
    kept.restart();
    CHECK(kept.rig.keeper().status().journals.copies == 2);
    CHECK(content(kept.disks.note(tokens)) == content(kept.disks.note(copy)));
}

TEST_CASE("a new second place is made")
{
    Kept kept;
    kept.disks.directories.tokens_copy = kept.disks.scratch / "other/copy of tokens";
    kept.restart();
    kept.rig.clock.advance_by(1min);
    CHECK(fs::exists(kept.disks.directories.tokens_copy + "/antwerp/journal.b"));
    kept.rig.stop();
    fs::remove_all(kept.disks.directories.tokens_copy);
    kept.start();
    kept.rig.clock.advance_by(1min);
    CHECK_FALSE(fs::exists(kept.disks.directories.tokens_copy));
}

}  // namespace
}  // namespace shelfd::oauth
