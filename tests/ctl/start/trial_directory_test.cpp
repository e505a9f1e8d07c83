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

}  // namespace
}  // namespace shelfd::ctl
