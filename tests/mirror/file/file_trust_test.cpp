#include "mirror/file/file_trust.hpp"
#include "support/catch.hpp"

#include <vector>

using namespace shelfd;
using mirror::FileTrust;
using mirror::Trust;
using mirror::TrustEvent;

namespace {

FileTrust after(const std::vector<TrustEvent>& events)
{
    FileTrust trust;
    for (const auto event : events) {
        trust.apply(event);
    }
    return trust;
}

// How each state is reached, first without and then with a check that acquitted the file before.
const std::vector<TrustEvent> acquittal = {TrustEvent::read_failed, TrustEvent::check_passed};

std::vector<TrustEvent> way_to(Trust state)
{
    switch (state) {
    case Trust::unproven: return {};
    case Trust::sound: return {TrustEvent::same_boot};
    case Trust::in_doubt: return {TrustEvent::written_by_others};
    case Trust::misread: return {TrustEvent::read_failed};
    case Trust::condemned: return {TrustEvent::read_failed, TrustEvent::check_passed, TrustEvent::read_failed};
    }
    return {};
}

}  // namespace

TEST_CASE("a mirror's file passes from each state of trust, on each event, to the state that the table says")
{
    using enum Trust;
    using enum TrustEvent;
    struct Row {
        Trust from;
        TrustEvent event;
        Trust next;
    };
    const Row table[] = {
        {unproven, begun_anew, unproven},    {unproven, same_boot, sound},
        {unproven, other_boot, in_doubt},    {unproven, written_by_others, in_doubt},
        {unproven, read_failed, misread},    {unproven, check_passed, unproven},
        {sound, begun_anew, unproven},       {sound, same_boot, sound},
        {sound, other_boot, sound},          {sound, written_by_others, in_doubt},
        {sound, read_failed, misread},       {sound, check_passed, sound},
        {in_doubt, begun_anew, unproven},    {in_doubt, same_boot, in_doubt},
        {in_doubt, other_boot, in_doubt},    {in_doubt, written_by_others, in_doubt},
        {in_doubt, read_failed, misread},    {in_doubt, check_passed, unproven},
        {misread, begun_anew, unproven},     {misread, same_boot, misread},
        {misread, other_boot, misread},      {misread, written_by_others, misread},
        {misread, read_failed, misread},     {misread, check_passed, unproven},
        {condemned, begun_anew, unproven},   {condemned, same_boot, condemned},
        {condemned, other_boot, condemned},  {condemned, written_by_others, condemned},
        {condemned, read_failed, condemned}, {condemned, check_passed, condemned},
    };
    for (const auto& row : table) {
        INFO("from " << static_cast<int>(row.from) << " on event " << static_cast<int>(row.event));
        auto trust = after(way_to(row.from));
        REQUIRE(trust.state() == row.from);
        trust.apply(row.event);
        CHECK(trust.state() == row.next);
    }
}

TEST_CASE("a file that was acquitted once is condemned by the next failed read, whatever came between")
{
    const std::vector<TrustEvent> between[] = {{},
                                               {TrustEvent::same_boot},
                                               {TrustEvent::written_by_others},
                                               {TrustEvent::written_by_others, TrustEvent::check_passed}};
    for (const auto& events : between) {
        auto trust = after(acquittal);
        for (const auto event : events) {
            trust.apply(event);
        }
        trust.apply(TrustEvent::read_failed);
        CHECK(trust.state() == Trust::condemned);
    }
    // A check that some other event caused acquits nobody.
    CHECK(after({TrustEvent::written_by_others, TrustEvent::check_passed, TrustEvent::read_failed}).state() ==
          Trust::misread);
    // Nor does what the file before it did.
    CHECK(after({TrustEvent::read_failed, TrustEvent::check_passed, TrustEvent::begun_anew, TrustEvent::read_failed})
              .state() == Trust::misread);
}

TEST_CASE("a file is checked before its next use in doubt, misread and condemned, and in no other state")
{
    for (const auto state : {Trust::unproven, Trust::sound, Trust::in_doubt, Trust::misread, Trust::condemned}) {
        const bool checked = state != Trust::unproven && state != Trust::sound;
        CHECK(after(way_to(state)).must_be_checked() == checked);
    }
}

TEST_CASE("checks of tables are void after a new file, foreign writing or a failed read; lives count new files")
{
    FileTrust trust;
    for (const auto event : {TrustEvent::same_boot, TrustEvent::other_boot, TrustEvent::check_passed}) {
        trust.apply(event);
        CHECK(trust.epoch() == 0);
    }
    std::uint64_t epoch = 0;
    for (const auto event : {TrustEvent::begun_anew, TrustEvent::written_by_others, TrustEvent::read_failed}) {
        trust.apply(event);
        CHECK(trust.epoch() == ++epoch);
    }
    CHECK(trust.lives() == 1);
}
