// The parts of a token keeper without the keeper: each can be made to do its one thing.
#pragma once

#include "oauth/keeper_rig.hpp"
#include "support/catch.hpp"

namespace shelfd::oauth {

struct PartsRig {
    // A set of the configured issuer; its access token works in `world.service`.
    TokenSet set() const
    {
        TokenSet set;
        set.generation = 1;
        set.access = Secret(world.service.access());
        set.refresh = Secret(world.service.refresh());
        set.issued = moments.now();
        set.lifetime = assumed_lifetime;
        set.origin = Origin::rotated;
        set.service = world.settings.endpoint.base_url;
        set.client_id = world.settings.endpoint.client_id;
        set.library_id = "42";
        return set;
    }
    // It is in force: on both copies, held, known to the machine.
    void put_in_force(TokenSet set)
    {
        auto write = [&](JournalPair& pair) { return pair.write_token(set, moments.now()); };
        REQUIRE(world.run(journals.write(write)).copies == 2);
        sets.recover(std::move(set), std::nullopt);
        begin();
    }
    void open()
    {
        REQUIRE(world.run(journals.open()));
        world.run(journals.finish_opening());
    }
    void begin() { machine.begin(start_of({sets, moments, canary.mark(), false, 0.5})); }

    KeeperRig world;  // its doubles: no keeper is started
    TokenKeeperServices services = world.services();
    Store store = world.store();
    Moments moments{world.clock, world.settings.boot_id};
    HeldSets sets{{world.settings.endpoint.base_url, world.settings.endpoint.client_id}};
    RefreshMachine machine;
    StandingRecord standing{world.clock, moments, machine};
    JournalTender journals{world.settings, services, moments, sets, standing, store};
    CanaryAsker canary{world.settings, services, sets, machine};
    Exchange exchange{world.settings, services, moments, journals, standing};
    Blockage blockage;
    std::size_t changes = 0;
    std::size_t rotations = 0;

    TokenFacts facts() const
    {
        return {world.settings.library,
                store.places,
                world.clock.boot_now(),
                moments,
                sets,
                machine,
                standing,
                journals.health(),
                journals.wants_mending(),
                blockage,
                exchange.tally(),
                exchange.last_landing(),
                canary.fault(),
                canary.clock_trouble(),
                canary.spec().library_id,
                canary.names_library(),
                std::nullopt,
                ""};
    }
    KeeperParts parts()
    {
        auto rotate = [this]() -> asio::awaitable<void> {
            ++rotations;
            co_return;
        };
        return {world.settings,
                services,
                moments,
                sets,
                machine,
                standing,
                journals,
                canary,
                exchange,
                [this] { return facts(); },
                [this] { ++changes; },
                rotate};
    }
};

}  // namespace shelfd::oauth
