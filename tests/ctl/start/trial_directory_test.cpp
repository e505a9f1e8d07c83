#include "ctl/start/trial_directory.hpp"

#include "storage/filesystem.hpp"
#include "support/catch.hpp"
#include "support/temp_directory.hpp"

#include <filesystem>
#include <optional>

namespace shelfd::ctl {
namespace {

namespace fs = std::filesystem;

TEST_CASE("what a trial that was killed has left is removed by the next one, and what one that runs has is not")
{
    TempDirectory home;
    const auto runtime = home / "run";
    fs::create_directory(runtime);
    const Environment environment{{"XDG_RUNTIME_DIR", runtime}};
    const auto make = [&](const std::string& name, bool with_lock) {
        const auto path = runtime + "/" + name;
        fs::create_directories(path + "/tokens");
        fs::permissions(path, fs::perms::owner_all);
        if (with_lock) {
            REQUIRE(storage::replace_file(path + "/lock", "", {.mode = 0600}));
        }
        return path;
    };
    const auto killed = make("shelfd-try-killed", true);
    const auto open_to_others = make("shelfd-try-shared", true);
    fs::permissions(open_to_others, fs::perms::all);
    const auto foreign = make("shelfd-try-without-a-lock", false);
    const auto other = make("something-else", true);
    auto running = TrialDirectory::open(home / "a", "https://a.example.com", environment);
    REQUIRE(running);
    CHECK_FALSE(fs::exists(killed));
    CHECK(fs::exists(open_to_others));
    CHECK(fs::exists(foreign));
    CHECK(fs::exists(other));
    std::string hidden;
    {
        auto second = TrialDirectory::open(home / "b", "https://b.example.com", environment);
        REQUIRE(second);
        hidden = second->hidden();
        CHECK(fs::exists(hidden));
        CHECK(fs::exists(running->hidden()));
        CHECK(hidden != running->hidden());
    }
    CHECK_FALSE(fs::exists(hidden));
}

TEST_CASE("a trial that mirrored nothing leaves nothing where it was, and does not bar another service")
{
    TempDirectory home;
    const auto runtime = home / "run";
    fs::create_directory(runtime);
    const Environment environment{{"XDG_RUNTIME_DIR", runtime}};
    const auto open = [&](const std::string& where, const std::string& url) {
        return TrialDirectory::open(home / where, url, environment);
    };
    const std::string mistyped = "https://a.example.com";
    const std::string right = "https://b.example.com";
    REQUIRE(open("made", mistyped));
    CHECK_FALSE(fs::exists(home / "made"));
    fs::create_directory(home / "found");
    REQUIRE(open("found", mistyped));
    CHECK(fs::is_empty(home / "found"));
    // Killed before it mirrored anything.
    fs::create_directory(home / "killed");
    REQUIRE(storage::replace_file(home / "killed/shelfd.toml", trial_mark(mistyped) + "\n", {.mode = 0600}));
    {
        const auto next = open("killed", right);
        REQUIRE(next);
        CHECK(read_file(next->config_file()).starts_with(trial_mark(right) + "\n"));
        fs::create_directory(next->mirrors() + "/try");
    }
    CHECK(fs::exists(home / "killed/mirrors/try"));
    CHECK(open("killed", right));
    CHECK(fs::exists(home / "killed/mirrors/try"));
    CHECK(open("killed", mistyped).error().text().find("holds the trial of another service") != std::string::npos);
    {
        // One whose daemon began to mirror: its log may say what went wrong.
        const auto begun = open("begun", right);
        REQUIRE(begun);
        REQUIRE(storage::replace_file(begun->log_file(), "", {.mode = 0600}));
    }
    CHECK(fs::exists(home / "begun/shelfd.log"));
}

}  // namespace
}  // namespace shelfd::ctl
