// Which sets are here, and whose they are.
#include "oauth/stored/held_sets.hpp"
#include "support/catch.hpp"
#include "support/simulated_clock.hpp"

#include <boost/asio/io_context.hpp>

namespace shelfd::oauth {
namespace {

constexpr auto service = "https://api.example.com";

TokenSet set_with(std::uint64_t generation, const std::string& name, Origin origin = Origin::rotated)
{
    TokenSet set;
    set.generation = generation;
    set.access = Secret("access-" + name);
    set.refresh = Secret("refresh-" + name);
    set.origin = origin;
    set.service = service;
    set.client_id = "client";
    return set;
}

std::string mark(const std::string& name)
{
    return fingerprint(Secret("refresh-" + name));
}

CanaryReading reading(CanaryAnswer answer, const std::string& library_id)
{
    CanaryReading reading;
    reading.answer = answer;
    reading.library_id = library_id;
    reading.text = "this is library " + library_id;
    return reading;
}

TEST_CASE("a refresh token is found in whatever part it is held, and nowhere else")
{
    HeldSets sets({service, "client"});
    REQUIRE_FALSE(sets.holds(""));
    sets.recover(set_with(5, "present"), set_with(4, "kept"));
    sets.set_candidate(set_with(0, "candidate"));
    {
        const HeldSets::Incoming incoming(sets, mark("incoming"));
        for (const auto* name : {"present", "kept", "candidate", "incoming"}) {
            CAPTURE(name);
            REQUIRE(sets.holds(mark(name)));
        }
    }
    REQUIRE_FALSE(sets.holds(mark("incoming")));
    REQUIRE_FALSE(sets.holds(mark("other")));
    sets.replace(set_with(6, "next"), std::nullopt);
    for (const auto* name : {"present", "kept", "candidate"}) {
        CAPTURE(name);
        REQUIRE_FALSE(sets.holds(mark(name)));
    }
}

TEST_CASE("a set that was moved away is neither held nor usable, and can be taken back")
{
    HeldSets sets({service, "client"});
    sets.recover(set_with(5, "present", Origin::moved_out), std::nullopt);
    REQUIRE(sets.is_moved_out());
    REQUIRE(sets.access() == nullptr);
    REQUIRE_FALSE(sets.holds(mark("present")));
    asio::io_context loop;
    SimulatedClock clock(loop);
    const auto holding = sets.holding_of(*sets.present(), Moments(clock, Id{}));
    REQUIRE_FALSE(holding.access);
    REQUIRE_FALSE(holding.refresh);
    REQUIRE(sets.present()->refresh.reveal() == "refresh-present");
}

TEST_CASE("another service sees no token of ours, another application refreshes none")
{
    struct Row {
        const char* name;
        HeldSets::Issuer configured;
        bool access;
        bool refresh;
        const char* fault;
    };
    const auto row = GENERATE(values<Row>({
        {"the same", {service, "client"}, true, true, ""},
        {"another service", {"https://other.example.com", "client"}, false, false, "this set was issued by "},
        {"another application", {service, "other"}, true, false, "this set was issued to the application client"},
    }));
    CAPTURE(row.name);
    HeldSets sets(row.configured);
    sets.recover(set_with(5, "present"), std::nullopt);
    asio::io_context loop;
    SimulatedClock clock(loop);
    const auto holding = sets.holding_of(*sets.present(), Moments(clock, Id{}));
    REQUIRE(holding.access == row.access);
    REQUIRE(holding.refresh == row.refresh);
    const auto fault = sets.issuer_fault(*sets.present());
    REQUIRE(fault.substr(0, std::string(row.fault).size()) == row.fault);
    REQUIRE(fault.empty() == std::string(row.fault).empty());
}

TEST_CASE("the next generation is newer than what is here and than what the mirror has seen")
{
    HeldSets sets({service, "client"});
    REQUIRE(sets.next_generation() == 1);
    sets.record_mirror_generation(7);
    REQUIRE(sets.new_set().generation == 8);
    sets.recover(set_with(5, "present"), std::nullopt);
    REQUIRE(sets.is_behind_mirror());
    sets.replace(set_with(8, "next"), std::nullopt);
    REQUIRE_FALSE(sets.is_behind_mirror());
    REQUIRE(sets.next_generation() == 9);
}

TEST_CASE("the access token before the present one is kept for the measurement of its death")
{
    HeldSets sets({service, "client"});
    sets.recover(set_with(5, "first"), std::nullopt);
    REQUIRE(sets.old_access().empty());
    const auto in_use = sets.access();
    sets.hold(set_with(6, "second"));
    REQUIRE(sets.old_access().reveal() == "access-first");
    REQUIRE(in_use->reveal() == "access-first");
    REQUIRE(sets.access_token().token->reveal() == "access-second");
    REQUIRE(sets.access_token().generation == 6);
}

TEST_CASE("what the service said of a set is forgotten with it")
{
    HeldSets sets({service, "client"});
    sets.recover(set_with(5, "present"), std::nullopt);
    REQUIRE_FALSE(sets.record_identity(reading(CanaryAnswer::ours, "42")));
    REQUIRE(sets.pinned_library() == "42");
    REQUIRE(sets.record_identity(reading(CanaryAnswer::wrong_library, "77")));
    REQUIRE(sets.wrong_library() == "this is library 77");
    REQUIRE_FALSE(sets.record_identity(reading(CanaryAnswer::unreachable, "")));
    REQUIRE(sets.wrong_library() == "this is library 77");
    sets.hold(set_with(6, "next"));
    REQUIRE(sets.wrong_library().empty());
    REQUIRE(sets.pinned_library().empty());
}

}  // namespace
}  // namespace shelfd::oauth
