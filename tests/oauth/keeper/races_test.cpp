// Two of everything at the same time, and everything twice: daemons, commands, stores, clocks.
#include "oauth/keeper_rig.hpp"
#include "support/catch.hpp"
#include "support/long_form.hpp"
#include "support/scale.hpp"
#include "support/temp_directory.hpp"

#include <atomic>
#include <random>
#include <thread>

#include <fmt/format.h>

namespace shelfd::oauth {
namespace {

using namespace std::chrono_literals;

// The refresh tokens presented, in order. Each may come again until its successor has come.
bool presents_each_before_its_successor(const http::ScriptedClient& client)
{
    std::string newest;
    for (const auto& request : client.seen()) {
        const auto at = request.body.find("refresh_token=refresh-");
        const auto token = at == std::string::npos ? newest : request.body.substr(at + 14, 12);
        if (token < newest) {
            return false;
        }
        newest = token;
    }
    return true;
}

TEST_CASE("of two daemons that open one store at the same time one has it, a thousand times")
{
    const TempDirectory directory;
    std::atomic<int> holders = 0;
    std::atomic<int> most = 0;
    std::atomic<std::size_t> opened = 0, refused = 0, wrong = 0;
    const std::size_t rounds = sanitized ? 200 : 1'000;
    const auto daemon = [&] {
        for (std::size_t round = 0; round < rounds; ++round) {
            const auto store = store_of({directory / "tokens", directory / "copy"}, "antwerp", storage::Safety::waived);
            if (const auto file = store.a(); file) {
                most = std::max<int>(most, ++holders);
                ++opened;
                --holders;
            } else {
                ++refused;
                wrong += file.error().kind() == ErrorKind::busy ? 0 : 1;
            }
        }
    };
    std::thread other(daemon);
    daemon();
    other.join();
    WARN(fmt::format("{} openings, {} refusals", opened, refused));
    CHECK(most == 1);
    CHECK(wrong == 0);
    CHECK(opened > 0);
}

TEST_CASE("of a thousand heaps of commands on one set, none presents a token twice")
{
    const std::size_t rounds = sanitized ? 100 : 1'000;
    std::size_t commands = 0, posts = 0;
    for (std::size_t round = 1; round <= rounds; ++round) {
        std::mt19937 random(static_cast<unsigned>(round));
        KeeperRig rig;
        rig.start();
        rig.give_set();
        rig.service.faults.push_back({true, http::Answer().after(std::chrono::milliseconds(random() % 2'000))});
        if (random() % 2 == 0) {
            rig.service.expire_access();
        }
        rig.clock.advance_by(random() % 3 == 0 ? 84h : 1h);
        const auto pasted = rig.service.response();
        TaskGroup people(rig.loop.get_executor());
        auto report = [&rig]() -> asio::awaitable<void> {
            const auto generation = rig.keeper().status().generation;
            static_cast<void>(co_await rig.keeper().reject(generation, "Bearer error_description=\"expired\""));
        };
        auto paste = [&rig, &pasted]() -> asio::awaitable<void> {
            auto set = parse_paste(pasted);
            static_cast<void>(co_await rig.keeper().import(std::move(*set), ImportMode::seal));
        };
        auto take = [&rig]() -> asio::awaitable<void> { static_cast<void>(co_await rig.keeper().access()); };
        auto adopt = [&rig]() -> asio::awaitable<void> { static_cast<void>(co_await rig.keeper().adopt()); };
        for (auto left = 2 + random() % 6; left > 0; --left) {
            ++commands;
            const auto which = random() % 4;
            people.spawn(which == 0 ? paste() : which == 1 ? take() : which == 2 ? adopt() : report());
        }
        rig.run(people.join());
        rig.clock.advance_by(1h);
        INFO("round " << round);
        REQUIRE(rig.service.reuses == 0);
        REQUIRE(presents_each_before_its_successor(rig.client));
        REQUIRE(rig.access_text() == rig.service.access());
        posts += rig.service.posts;
    }
    WARN(fmt::format("{} heaps, {} commands, {} POSTs, no token twice", rounds, commands, posts));
}

TEST_CASE("a clone and a restored backup are named before anything is sent, however old they are")
{
    const std::size_t rounds = sanitized ? 50 : 500;
    for (std::size_t round = 1; round <= rounds; ++round) {
        std::mt19937 random(static_cast<unsigned>(round));
        KeeperRig rig;
        rig.start();
        rig.give_set();
        const auto saved_after = random() % 5;
        std::vector<std::vector<std::byte>> saved;
        for (std::size_t refresh = 0; refresh <= saved_after + random() % 8; ++refresh) {
            if (refresh == saved_after) {
                saved = {rig.disk.content(0), rig.disk.content(1)};
            }
            rig.clock.advance_by(std::chrono::hours(84 + random() % 4));
        }
        rig.clock.advance_by(84h);
        const auto newest = rig.keeper().status().generation;
        rig.kill();
        rig.disk.set_content(0, saved[0]);
        rig.disk.set_content(1, saved[1]);
        const auto is_clone = random() % 2 == 0;
        if (is_clone) {
            rig.settings.machine_id = "fedcba9876543210";
        }
        rig.settings.boot_id[0] = std::byte{2};
        rig.mirror_generation = is_clone ? 0 : newest;
        const auto sent = rig.service.posts;
        rig.start();
        INFO("round " << round << (is_clone ? ", clone" : ", backup"));
        REQUIRE(rig.keeper().status().state == TokenState::copied);
        REQUIRE(rig.keeper().status().needs_person);
        static_cast<void>(rig.run(rig.keeper().reject(rig.keeper().status().generation, "Bearer")));
        rig.clock.advance_by(400h);
        REQUIRE(rig.service.posts == sent);
    }
}

TEST_CASE("a clock that is years off is named before anything is sent, and no longer than it is")
{
    constexpr auto ten_years = std::chrono::hours(10 * 8'766);
    for (const auto step : {Duration(ten_years), Duration(-ten_years)}) {
        KeeperRig rig;
        rig.start();
        rig.give_set();
        rig.clock.advance_by(24h);
        REQUIRE(rig.keeper().status().clock_trouble.empty());
        rig.kill();
        rig.clock.step_wall(step);
        rig.settings.boot_id[0] = std::byte{2};
        const auto posts = rig.service.posts;
        rig.client.handle([&](const http::SeenRequest& request) {
            // Whatever goes to the token endpoint, people could have read about the clock before.
            if (request.url.find("/oauth/token/") != std::string::npos) {
                CHECK(rig.log_has("the clock of this machine"));
            }
            return rig.service.answer(request);
        });
        rig.start();
        REQUIRE(rig.run(rig.keeper().canary()));
        INFO("step " << step.count());
        const auto trouble = rig.keeper().status().clock_trouble;
        REQUIRE(trouble.find(step > Duration(0) ? "3653 d ahead of" : "3653 d behind") != std::string::npos);
        REQUIRE(trouble.find("timedatectl") != std::string::npos);
        REQUIRE(rig.log_has("the clock of this machine"));
        rig.clock.advance_by(2h);
        REQUIRE(rig.service.posts - posts <= 1);
        rig.clock.step_wall(-step);
        REQUIRE(rig.run(rig.keeper().canary()));
        REQUIRE(rig.keeper().status().clock_trouble.empty());
    }
}

TEST_CASE("a month of suspend is named")
{
    KeeperRig rig;
    rig.start();
    rig.give_set();
    rig.clock.suspend(720h);
    REQUIRE(rig.log_has("suspended past the time of a refresh"));
    REQUIRE(rig.access_text() == rig.service.access());
}

TEST_CASE("clocks that are ten years off, and a month of suspend, cost a refresh at most, and no set")
{
    constexpr auto ten_years = std::chrono::hours(10 * 8'766);
    for (const auto step : {ten_years, -ten_years}) {
        for (const bool reboots : {false, true}) {
            for (const auto asleep : {Duration(0), Duration(720h)}) {
                KeeperRig rig;
                rig.start();
                rig.give_set();
                rig.clock.advance_by(24h);
                if (reboots) {
                    rig.kill();
                }
                rig.clock.step_wall(step);
                rig.clock.suspend(asleep);
                if (reboots) {
                    rig.settings.boot_id[0] = std::byte{2};
                    rig.start();
                }
                const auto sent = rig.service.posts;
                rig.clock.advance_by(1h);
                INFO("step " << step.count() << " h, reboots " << reboots << ", asleep " << asleep.count());
                REQUIRE(rig.service.posts - sent <= 1);
                rig.clock.step_wall(-2 * step);
                rig.clock.advance_by(24h);
                REQUIRE(rig.service.posts - sent <= 2);
                REQUIRE(rig.service.reuses == 0);
                rig.clock.advance_by(84h);
                REQUIRE(rig.access_text() == rig.service.access());
                REQUIRE(rig.keeper().status().state == TokenState::good);
            }
        }
    }
}

}  // namespace
}  // namespace shelfd::oauth
